// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/movement.hpp>

/// Tensor language, third part: images, sequences and tables. Images are (batch, height, width, channels).
namespace sigma {

// clang-format off: a table
inline constexpr Given::Label image_is{"image"}, weights_are{"weights"}, window_is{"window"}, groups_given{"groups"},
    table_is{"table"}, ids_are{"ids"};
inline constexpr Fault
    error_convolution_needs_images_of_rank_4_and_weights_of_rank_4{"a convolution needs images of rank 4 and weights of rank 4"},
    error_convolution_strides_and_dilations_must_be_positive{"strides and dilations of a convolution must be positive"},
    error_convolution_kernel_is_larger_than_the_padded_image{"the kernel is larger than the padded image"},
    error_convolution_groups_do_not_divide_the_channels{"groups do not divide the channels"},
    error_convolution_groups_do_not_divide_the_outputs{"groups do not divide the outputs"},
    error_convolution_channels_differ{"the weights are for another number of channels"},
    error_pooling_needs_images_of_rank_4{"pooling needs images of rank 4"},
    error_pooling_windows_and_strides_must_be_positive{"windows and strides of a pooling must be positive"},
    error_pooling_window_is_larger_than_the_image{"the window is larger than the image"},
    error_average_pool_has_no_padding{"average_pool has no padding: pad its images"},
    error_gather_needs_a_table_of_rank_2_and_ids_of_rank_5_at_most{"gather needs a table of rank 2 and ids of rank 5 at most"},
    error_padding_must_not_be_negative{"padding must not be negative"};
// clang-format on

namespace detail {

constexpr bool is_image(const Shape& s) { return s.rank == 4 && s[1] > 0 && s[2] > 0 && s[3] > 0; }
constexpr bool in_range(int n, int most) { return n >= 1 && n <= most; }
constexpr bool steps_are_good(const Convolution& g) {
    for (int i = 0; i < 2; ++i)
        if (!in_range(g.stride[i], Convolution::most) || !in_range(g.dilation[i], Convolution::most)) return false;
    return true;
}

/// Can these images be convolved by weights of shape w, or the other way round? The mistake is told of `x`.
constexpr bool convolvable(At x, const Shape& w, const Convolution& g, bool transposed = false) {
    const Shape a = x.shape();
    const auto wrong = [&](const Fault& fault) { return x.refused(fault, {image_is, a}, {weights_are, w}), false; };
    const auto groups_are_wrong = [&](const Fault& fault) {
        return x.refused(fault, {groups_given, g.groups}, {image_is, a}, {weights_are, w}), false;
    };
    if (!is_image(a) || w.rank != 4 || w.batched())
        return wrong(error_convolution_needs_images_of_rank_4_and_weights_of_rank_4);
    if (!steps_are_good(g)) return wrong(error_convolution_strides_and_dilations_must_be_positive);
    if (!in_range(g.groups, 65535) || a[3] % g.groups != 0)
        return groups_are_wrong(error_convolution_groups_do_not_divide_the_channels);
    if (transposed) return a[3] == w[2] || wrong(error_convolution_channels_differ);
    if (w[3] % g.groups != 0) return groups_are_wrong(error_convolution_groups_do_not_divide_the_outputs);
    if (w[2] * g.groups != a[3]) return wrong(error_convolution_channels_differ);
    return (g.reach(0, w[0]) <= a[1] && g.reach(1, w[1]) <= a[2]) ||
           wrong(error_convolution_kernel_is_larger_than_the_padded_image);
}

}  // namespace detail

// ---- padding ----

/// Zeros before and after one axis: `zero_pad(x, axis(1), 2, 2)`.
constexpr Tensor zero_pad(detail::At x, Axis along, int before, int after) {
    const Shape s = x.shape();
    if (!detail::paddable(s, along.number, before, after))
        return x.refused(error_padding_must_not_be_negative, {axis_given, along.number}, {elements_before, before},
                         {elements_after, after}, {shape_of_x, s});
    const int at = detail::normal_axis(along.number, s.rank);
    return {pad(x.variable, at, before, s[at] + before + after)};
}

// ---- convolution ----

/// Images (n, h, w, c) by weights (kh, kw, c / groups, o) -> (n, h', w', o) with h' = (h - (kh-1)·dilation - 1) /
/// stride + 1: y[n, i, j, o] = Σ x[n, i·stride + a·dilation, j·stride + b·dilation, c] · w[a, b, c, o]. No kernel is
/// turned round.
constexpr Tensor convolve(detail::At x, Tensor w, const detail::Convolution& g = {}) {
    return detail::convolvable(x, w.shape(), g) ? Tensor{convolve(x.variable, w.variable, g)} : Tensor(x);
}

/// Transposed convolution, the adjoint of `convolve` in its images: (n, h', w', c) by weights (kh, kw, c, o / groups)
/// to (n, (h'-1)·stride + (kh-1)·dilation + 1, …, o).
constexpr Tensor convolve_transposed(detail::At x, Tensor w, const detail::Convolution& g = {}) {
    const Shape a = x.shape(), k = w.shape();
    if (!detail::convolvable(x, k, g, true)) return x;
    const Shape image{a[0], (a[1] - 1) * g.stride[0] + g.reach(0, k[0]), (a[2] - 1) * g.stride[1] + g.reach(1, k[1]),
                      k[3] * g.groups};
    constexpr std::uint64_t order = 0 | 2 << 4 | 1 << 8 | 3 << 12, plain = 0 | 1 << 4 | 3 << 8 | 2 << 12;
    const bool by_channel = detail::Convolution::by_channel(g.groups, image[3]);
    return {detail::convolve_input(x.variable, permute(w.variable, by_channel ? plain : order), image, g)};
}

// ---- pooling ----

namespace detail {

constexpr bool poolable(At x, const Pooling& p, int after_height = 0, int after_width = 0) {
    const Shape a = x.shape();
    const int after[]{after_height, after_width};
    const auto wrong = [&](const Fault& fault) {
        return x.refused(fault, {window_is, Shape{p.window[0], p.window[1]}}, {image_is, a}), false;
    };
    if (!is_image(a)) return wrong(error_pooling_needs_images_of_rank_4);
    for (int i = 0; i < 2; ++i)
        if (!in_range(p.window[i], Pooling::most) || !in_range(p.stride[i], Pooling::most) || p.before[i] < 0 ||
            p.before[i] >= 256 || p.before[i] >= p.window[i] || after[i] < 0)
            return wrong(error_pooling_windows_and_strides_must_be_positive);
    for (int i = 0; i < 2; ++i)
        if (p.window[i] > a[i + 1] + p.before[i] + after[i] || after[i] >= p.window[i])
            return wrong(error_pooling_window_is_larger_than_the_image);
    return true;
}

}  // namespace detail

/// Greatest element of each window, of each channel; the first one where several are equal gets the gradient. Windows
/// may reach over the edges by `p.before` at the beginning and by the other two numbers at the end; nothing is there.
constexpr Tensor max_pool(detail::At x, const detail::Pooling& p, int after_height = 0, int after_width = 0) {
    if (!detail::poolable(x, p, after_height, after_width)) return x;
    const Shape a = x.shape();
    // As many windows as start inside the image and end inside what surrounds it on both sides.
    const Shape s{a[0], (a[1] + p.before[0] + after_height - p.window[0]) / p.stride[0] + 1,
                  (a[2] + p.before[1] + after_width - p.window[1]) / p.stride[1] + 1, a[3]};
    return {detail::pool_max(x.variable, s, p)};
}

/// Mean of each window, of each channel.
constexpr Tensor average_pool(detail::At x, const detail::Pooling& p) {
    if (!detail::poolable(x, p)) return x;
    if (p.before[0] != 0 || p.before[1] != 0)
        return x.refused(error_average_pool_has_no_padding, {elements_before, Shape{p.before[0], p.before[1]}});
    const int channels = x.shape()[3];
    const Variable share = detail::expand(constant(x.variable.tape, 1.0 / (p.window[0] * p.window[1])),
                                          Shape{p.window[0], p.window[1], 1, channels});
    return {convolve(x.variable, share, detail::Convolution{{p.stride[0], p.stride[1]}, {1, 1}, channels})};
}

// ---- tables ----

/// Rows of a table (rows, width) by number: ids (…) -> (…, width). Where there is no such row: a row of NaN.
constexpr Tensor gather(detail::At table, Tensor ids) {
    const Shape a = table.shape(), i = ids.shape();
    if (a.rank != 2 || a.batched() || i.rank >= detail::max_rank)
        return table.refused(error_gather_needs_a_table_of_rank_2_and_ids_of_rank_5_at_most, {table_is, a},
                             {ids_are, i});
    return {gather(table.variable, ids.variable)};
}

}  // namespace sigma
