// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/movement.hpp>

#include <type_traits>

/// Tensor language, third part: images, sequences and tables. Images are (batch, height, width, channels).
namespace sigma {

// clang-format off: a table
template <class> struct image_is;
template <class> struct weights_are;
template <class> struct window_is;
template <class, class> struct error_convolution_needs_images_of_rank_4_and_weights_of_rank_4;
template <class, class> struct error_convolution_strides_and_dilations_must_be_positive;
template <class, class> struct error_convolution_kernel_is_larger_than_the_padded_image;
template <class, class, class> struct error_convolution_groups_do_not_divide_the_channels;
template <class, class, class> struct error_convolution_groups_do_not_divide_the_outputs;
template <class, class> struct error_convolution_channels_differ;
template <class, class> struct error_pooling_needs_images_of_rank_4;
template <class, class> struct error_pooling_windows_and_strides_must_be_positive;
template <class, class> struct error_pooling_window_is_larger_than_the_image;
template <class, class> struct error_gather_needs_a_table_of_rank_2_and_ids_of_rank_5_at_most;
template <class, class> struct error_padding_must_not_be_negative;
// clang-format on

namespace detail {

constexpr bool is_image(const Shape& s) {
    if (s.rank != 4) return false;
    return s[1] > 0 && s[2] > 0 && s[3] > 0;
}
constexpr bool in_range(int n, int most) { return n >= 1 && n <= most; }
constexpr bool steps_are_good(const Convolution& g) {
    for (int i = 0; i < 2; ++i)
        if (!in_range(g.stride[i], Convolution::most) || !in_range(g.dilation[i], Convolution::most)) return false;
    return true;
}

/// What is wrong with a convolution of images by weights, or with a transposed one.
template <Convolution g, Shape A, Shape W, bool transposed>
constexpr auto check_convolved() {
    using Image = image_is<typename Spelled<A, A.rank>::type>;
    using Weights = weights_are<typename Spelled<W, W.rank>::type>;
    if constexpr (!is_image(A) || W.rank != 4 || W.batched()) {
        return Mistake<error_convolution_needs_images_of_rank_4_and_weights_of_rank_4<Image, Weights>>{};
    } else if constexpr (!steps_are_good(g)) {
        return Mistake<error_convolution_strides_and_dilations_must_be_positive<Image, Weights>>{};
    } else if constexpr (g.groups < 1 || g.groups > 65535 || A[3] % (g.groups < 1 ? 1 : g.groups) != 0) {
        return Mistake<error_convolution_groups_do_not_divide_the_channels<groups_given<g.groups>, Image, Weights>>{};
    } else if constexpr (transposed) {
        return MistakeIf<A[3] != W[2], error_convolution_channels_differ<Image, Weights>>{};
    } else if constexpr (W[3] % g.groups != 0) {
        return Mistake<error_convolution_groups_do_not_divide_the_outputs<groups_given<g.groups>, Image, Weights>>{};
    } else if constexpr (W[2] * g.groups != A[3]) {
        return Mistake<error_convolution_channels_differ<Image, Weights>>{};
    } else if constexpr (g.reach(0, W[0]) > A[1] || g.reach(1, W[1]) > A[2]) {
        return Mistake<error_convolution_kernel_is_larger_than_the_padded_image<Image, Weights>>{};
    } else {
        return Mistake<>{};
    }
}
template <Convolution g, Shape A, Shape W>
struct ConvolutionMistake : decltype(check_convolved<g, A, W, false>()) {};  // no alias: g++ 12 fails on those
template <Convolution g, Shape A, Shape W>
struct TransposedMistake : decltype(check_convolved<g, A, W, true>()) {};

constexpr Shape convolved(const Convolution& g, const Shape& a, const Shape& w) {
    return Shape{a[0], g.positions(0, a[1], w[0]), g.positions(1, a[2], w[1]), w[3]};
}

template <Pooling p, Shape A>
constexpr auto check_pooled() {
    using Image = image_is<typename Spelled<A, A.rank>::type>;
    using Given = window_is<shape<p.window[0], p.window[1]>>;
    constexpr auto good = [](int i) {
        return in_range(p.window[i], Pooling::most) && in_range(p.stride[i], Pooling::most) && p.before[i] >= 0 &&
               p.before[i] < 256 && p.before[i] < p.window[i];
    };
    if constexpr (!is_image(A)) return Mistake<error_pooling_needs_images_of_rank_4<Given, Image>>{};
    else if constexpr (!good(0) || !good(1))
        return Mistake<error_pooling_windows_and_strides_must_be_positive<Given, Image>>{};
    else if constexpr (p.window[0] > A[1] + 2 * p.before[0] || p.window[1] > A[2] + 2 * p.before[1])
        return Mistake<error_pooling_window_is_larger_than_the_image<Given, Image>>{};
    else return Mistake<>{};
}

}  // namespace detail

// ---- padding ----

/// Zeros before and after one axis: `zero_pad<1, 2, 2>(x)`.
template <int number, int before, int after, Shape A>
    requires(detail::valid_axis(number, A.rank) && before >= 0 && after >= 0 &&
             A[detail::normal_axis(number, A.rank)] > 0)
constexpr auto zero_pad(Tensor<A> x) {
    constexpr int at = detail::normal_axis(number, A.rank), extent = A[at] + before + after;
    return detail::tensor<A.with(at, extent)>(pad(x.variable, at, before, extent));
}
template <int number, int before, int after, Shape A>
constexpr error_padding_must_not_be_negative<axes_given<number, before, after>, spelled<A>> zero_pad(Tensor<A>);

// ---- convolution ----

/// Images (n, h, w, c) by weights (kh, kw, c / groups, o) -> (n, h', w', o) with h' = (h - (kh-1)·dilation - 1) /
/// stride + 1: y[n, i, j, o] = Σ x[n, i·stride + a·dilation, j·stride + b·dilation, c] · w[a, b, c, o]. No kernel is
/// turned round.
template <detail::Convolution g = detail::Convolution{}, Shape A, Shape W>
    requires detail::is_fine<detail::ConvolutionMistake<g, A, W>>
constexpr auto convolve(Tensor<A> x, Tensor<W> w) {
    return detail::tensor<detail::convolved(g, A, W)>(convolve(x.variable, w.variable, g));
}
template <detail::Convolution g = detail::Convolution{}, Shape A, Shape W>
    requires(!detail::is_fine<detail::ConvolutionMistake<g, A, W>>)
constexpr auto convolve(Tensor<A>, Tensor<W>)
    -> decltype(detail::plainly(std::type_identity<typename detail::ConvolutionMistake<g, A, W>::mistake>{}));

/// Transposed convolution, the adjoint of `convolve` in its images: (n, h', w', c) by weights (kh, kw, c, o / groups)
/// to (n, (h'-1)·stride + (kh-1)·dilation + 1, …, o).
template <detail::Convolution g = detail::Convolution{}, Shape A, Shape W>
    requires detail::is_fine<detail::TransposedMistake<g, A, W>>
constexpr auto convolve_transposed(Tensor<A> x, Tensor<W> w) {
    constexpr Shape image{A[0], (A[1] - 1) * g.stride[0] + g.reach(0, W[0]),
                          (A[2] - 1) * g.stride[1] + g.reach(1, W[1]), W[3] * g.groups};
    constexpr std::uint64_t order = 0 | 2 << 4 | 1 << 8 | 3 << 12, plain = 0 | 1 << 4 | 3 << 8 | 2 << 12;
    constexpr bool by_channel = detail::Convolution::by_channel(g.groups, image[3]);
    return detail::tensor<image>(
        detail::convolve_input(x.variable, permute(w.variable, by_channel ? plain : order), image, g));
}
template <detail::Convolution g = detail::Convolution{}, Shape A, Shape W>
    requires(!detail::is_fine<detail::TransposedMistake<g, A, W>>)
constexpr auto convolve_transposed(Tensor<A>, Tensor<W>)
    -> decltype(detail::plainly(std::type_identity<typename detail::TransposedMistake<g, A, W>::mistake>{}));

// ---- pooling ----

namespace detail {
template <Pooling p, Shape A>
struct PoolingMistake : decltype(check_pooled<p, A>()) {};
/// As many windows as start inside the image and end inside what surrounds it on both sides.
constexpr Shape pooled(const Pooling& p, const Shape& a, int after_height, int after_width) {
    return Shape{a[0], (a[1] + p.before[0] + after_height - p.window[0]) / p.stride[0] + 1,
                 (a[2] + p.before[1] + after_width - p.window[1]) / p.stride[1] + 1, a[3]};
}
}  // namespace detail

/// Greatest element of each window, of each channel; the first one where several are equal gets the gradient. Windows
/// may reach over the edges by `p.before` at the beginning and by the other two numbers at the end; nothing is there.
template <detail::Pooling p, int after_height = 0, int after_width = 0, Shape A>
    requires(detail::is_fine<detail::PoolingMistake<p, A>> && after_height >= 0 && after_width >= 0 &&
             after_height < p.window[0] && after_width < p.window[1])
constexpr auto max_pool(Tensor<A> x) {
    constexpr Shape s = detail::pooled(p, A, after_height, after_width);
    return detail::tensor<s>(detail::pool_max(x.variable, s, p));
}
template <detail::Pooling p, int after_height = 0, int after_width = 0, Shape A>
    requires(!detail::is_fine<detail::PoolingMistake<p, A>>)
constexpr auto max_pool(Tensor<A>)
    -> decltype(detail::plainly(std::type_identity<typename detail::PoolingMistake<p, A>::mistake>{}));

/// Mean of each window, of each channel.
template <detail::Pooling p, Shape A>
    requires(detail::is_fine<detail::PoolingMistake<p, A>> && p.before[0] == 0 && p.before[1] == 0)
constexpr auto average_pool(Tensor<A> x) {
    constexpr detail::Convolution g{{p.stride[0], p.stride[1]}, {1, 1}, A[3]};
    constexpr Shape w{p.window[0], p.window[1], 1, A[3]};
    const Variable share = detail::expand(constant(x.variable.tape, 1.0 / (p.window[0] * p.window[1])), w);
    return detail::tensor<detail::convolved(g, A, w)>(convolve(x.variable, share, g));
}
template <detail::Pooling p, Shape A>
    requires(!detail::is_fine<detail::PoolingMistake<p, A>>)
constexpr auto average_pool(Tensor<A>)
    -> decltype(detail::plainly(std::type_identity<typename detail::PoolingMistake<p, A>::mistake>{}));

// ---- tables ----

/// Rows of a table (rows, width) by number: ids (…) -> (…, width). Where there is no such row: a row of NaN.
template <Shape A, Shape I>
    requires(A.rank == 2 && !A.batched() && I.rank < detail::max_rank)
constexpr auto gather(Tensor<A> table, Tensor<I> ids) {
    constexpr Shape s = [] {
        Shape r = I;
        r.extent[r.rank++] = A[1];
        return r;
    }();
    return detail::tensor<s>(gather(table.variable, ids.variable));
}
template <Shape A, Shape I>
    requires(!(A.rank == 2 && !A.batched() && I.rank < detail::max_rank))
constexpr error_gather_needs_a_table_of_rank_2_and_ids_of_rank_5_at_most<spelled<A>, spelled<I>> gather(Tensor<A>,
                                                                                                        Tensor<I>);

}  // namespace sigma
