// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions of images and tables: convolve, convolve_transposed, max_pool, average_pool, zero_pad, gather. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/movement.hpp>

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
    error_convolution_channels_differ{"the weights have a different number of channels"},
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

/// Returns whether images can be convolved by weights of shape w, or the transposed way. Refuses `x` if not.
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

/// Adds zeros before and after the elements of an axis.
/// @param x  a tensor
/// @param along  the axis; not the batch
/// @param before  number of zeros before, at least 0
/// @param after  number of zeros after, at least 0
/// @return a tensor with a greater extent along this axis
///
/// @par Example
/// @code
/// const auto framed = [](Tensor images) { return zero_pad(zero_pad(images, axis(1), 1, 1), axis(2), 1, 1); };
/// @endcode
///
/// @see pad
constexpr Tensor zero_pad(detail::At x, Axis along, int before, int after) {
    const Shape s = x.shape();
    if (!detail::paddable(s, along.number, before, after))
        return x.refused(error_padding_must_not_be_negative, {axis_given, along.number}, {elements_before, before},
                         {elements_after, after}, {shape_of_x, s});
    const int at = detail::normal_axis(along.number, s.rank);
    return {pad(x.variable, at, before, s[at] + before + after)};
}

// ---- convolution ----

/// Convolves images with kernels: y[n, i, j, o] = Σ x[n, i·stride + a·dilation, j·stride + b·dilation, c] · w[a, b, c,
/// o].
///
/// Kernels are not flipped, as in all deep learning libraries.
/// @param x  images (n, h, w, c)
/// @param w  weights (kh, kw, c / groups, o)
/// @param geometry  `{{stride, stride}, {dilation, dilation}, groups}`. Default: all 1.
/// @return (n, h', w', o) with h' = (h - (kh-1)·dilation - 1) / stride + 1
///
/// @par Example
/// @code
/// const auto edges = [](Tensor images, Tensor w) { return convolve(images, w, {{2, 2}}); };  // a stride of 2
/// @endcode
///
/// @see Conv2D, convolve_transposed, zero_pad
constexpr Tensor convolve(detail::At x, Tensor w, const detail::Convolution& geometry = {}) {
    return detail::convolvable(x, w.shape(), geometry) ? Tensor{convolve(x.variable, w.variable, geometry)} : Tensor(x);
}

/// Computes a transposed convolution, the adjoint of `convolve` in its images.
/// @param x  images (n, h, w, c)
/// @param w  weights (kh, kw, c, o / groups)
/// @param geometry  `{{stride, stride}, {dilation, dilation}, groups}`. Default: all 1.
/// @return (n, (h-1)·stride + (kh-1)·dilation + 1, …, o)
///
/// @par Example
/// @code
/// const auto larger = [](Tensor images, Tensor w) { return convolve_transposed(images, w, {{2, 2}}); };
/// @endcode
///
/// @see ConvTranspose2D, convolve
constexpr Tensor convolve_transposed(detail::At x, Tensor w, const detail::Convolution& geometry = {}) {
    const detail::Convolution& g = geometry;
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

/// Returns the greatest element of each window, for each channel. The first of equal elements gets the gradient.
///
/// Windows may reach over the edges of the image: by `pooling.before` at the beginning, by the other numbers at the
/// end.
/// @param x  images (n, h, w, c)
/// @param pooling  `{{window height, width}, {stride, stride}, {before, before}}`
/// @param after_height  rows after the image, at least 0. Default: 0.
/// @param after_width  columns after the image, at least 0. Default: 0.
/// @return (n, h', w', c)
///
/// @par Example
/// @code
/// const auto halves = [](Tensor images) { return max_pool(images, {{2, 2}, {2, 2}}); };
/// @endcode
///
/// @see MaxPool, average_pool
constexpr Tensor max_pool(detail::At x, const detail::Pooling& pooling, int after_height = 0, int after_width = 0) {
    const detail::Pooling& p = pooling;
    if (!detail::poolable(x, p, after_height, after_width)) return x;
    const Shape a = x.shape();
    // Windows start inside the image with its padding before, and end inside its padding after.
    const Shape s{a[0], (a[1] + p.before[0] + after_height - p.window[0]) / p.stride[0] + 1,
                  (a[2] + p.before[1] + after_width - p.window[1]) / p.stride[1] + 1, a[3]};
    return {detail::pool_max(x.variable, s, p)};
}

/// Returns the mean of each window, for each channel.
/// @param x  images (n, h, w, c)
/// @param pooling  `{{window height, width}, {stride, stride}}`
/// @return (n, h', w', c)
///
/// @par Example
/// @code
/// const auto halves = [](Tensor images) { return average_pool(images, {{2, 2}, {2, 2}}); };
/// @endcode
///
/// @see AveragePool, max_pool
constexpr Tensor average_pool(detail::At x, const detail::Pooling& pooling) {
    const detail::Pooling& p = pooling;
    if (!detail::poolable(x, p)) return x;
    if (p.before[0] != 0 || p.before[1] != 0)
        return x.refused(error_average_pool_has_no_padding, {elements_before, Shape{p.before[0], p.before[1]}});
    const int channels = x.shape()[3];
    const Variable share = detail::expand(constant(x.variable.tape, 1.0 / (p.window[0] * p.window[1])),
                                          Shape{p.window[0], p.window[1], 1, channels});
    return {convolve(x.variable, share, detail::Convolution{{p.stride[0], p.stride[1]}, {1, 1}, channels})};
}

// ---- tables ----

/// Returns rows of a table by their numbers: ids (…) -> (…, width). A number without a row gives a row of NaN.
/// @param table  a tensor (rows, width)
/// @param ids  numbers from 0, (…), of at most five axes
/// @return (…, width)
///
/// @par Example
/// @code
/// const auto embedded = [](Tensor table, Tensor ids) { return gather(table, ids); };
/// @endcode
///
/// @see Embedding, one_hot
constexpr Tensor gather(detail::At table, Tensor ids) {
    const Shape a = table.shape(), i = ids.shape();
    if (a.rank != 2 || a.batched() || i.rank >= detail::max_rank)
        return table.refused(error_gather_needs_a_table_of_rank_2_and_ids_of_rank_5_at_most, {table_is, a},
                             {ids_are, i});
    return {gather(table.variable, ids.variable)};
}

}  // namespace sigma
