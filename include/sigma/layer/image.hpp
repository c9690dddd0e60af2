// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/errors.hpp>
#include <sigma/tape/convolution.hpp>

#include <type_traits>

/// What layers over images and sequences have in common: sizes, padding, and the options of their last argument.
namespace sigma {

/// A height and a width, or one number for both.
struct Sizes {
    int height = 1, width = 1;
    constexpr Sizes() = default;
    constexpr Sizes(int both) : height(both), width(both) {}
    constexpr Sizes(int h, int w) : height(h), width(w) {}
    constexpr bool positive() const { return height > 0 && width > 0; }
};

namespace detail {

/// Zeros around an image: `valid` none; `same` so many that the result has ceil(size / stride) positions, the odd one
/// at the end; or explicit: `.padding = 2`, `{2, 1}` for height and width, `{top, bottom, left, right}`. Over sequences
/// two numbers are those before and after.
struct Padding {
    bool same = false;
    bool pair = false;  ///< given as two numbers, the first in `top` and `bottom`, the second in `left` and `right`
    int top = 0, bottom = 0, left = 0, right = 0;
    constexpr Padding() = default;
    constexpr Padding(int all) : Padding(all, all) {}
    constexpr Padding(int first, int second) : pair(true), top(first), bottom(first), left(second), right(second) {}
    constexpr Padding(int t, int b, int l, int r) : top(t), bottom(b), left(l), right(r) {}
    constexpr int before() const { return pair ? top : left; }
    constexpr int after() const { return right; }
    /// Does it say nothing of rows, which sequences have not?
    constexpr bool along_time() const { return pair || (top == 0 && bottom == 0); }
    constexpr bool positive() const { return top >= 0 && bottom >= 0 && left >= 0 && right >= 0; }
    static constexpr Padding as_same() {
        Padding p;
        p.same = true;
        return p;
    }
    /// The same with numbers, for an image of height × width and a kernel that covers `reach`.
    constexpr Padding resolved(int height, int width, Sizes reach, Sizes stride) const {
        if (!same) return {top, bottom, left, right};
        const auto total = [](int n, int covers, int step) {
            const int missing = ((n + step - 1) / step - 1) * step + covers - n;
            return missing > 0 ? missing : 0;
        };
        const int high = total(height, reach.height, stride.height), wide = total(width, reach.width, stride.width);
        return {high / 2, high - high / 2, wide / 2, wide - wide / 2};
    }
};

}  // namespace detail

inline constexpr detail::Padding valid{};
inline constexpr detail::Padding same = detail::Padding::as_same();

/// `Conv2D(16, 3, relu, {.stride = 2, .padding = same})`
struct ConvolutionOptions {
    Sizes stride{1};
    detail::Padding padding{};
    Sizes dilation{1};
    int groups = 1;
    bool bias = true;

    constexpr detail::Convolution geometry() const {
        return {{stride.height, stride.width}, {dilation.height, dilation.width}, groups};
    }
};
/// `MaxPool(3, {.stride = 2})`; windows stand side by side unless a stride is given.
struct PoolingOptions {
    Sizes stride{0};
    detail::Padding padding{};
};
namespace detail::option {
using Convolution = options_are<struct stride, struct padding, struct dilation, struct groups, struct bias>;
using Pooling = options_are<struct stride, struct padding>;
}  // namespace detail::option

// clang-format off: a table
template <int...> struct sizes_given;
template <int> struct filters_given;
template <class> struct error_filters_must_be_positive;
template <class> struct error_kernel_sizes_must_be_positive;
template <class> struct error_strides_must_be_positive;
template <class> struct error_dilations_must_be_positive;
template <class> struct error_padding_is_negative;
template <class> struct error_padding_of_sequences_has_no_rows;
/// Sizes of two numbers, of which the first would do nothing: {1, n}, or n, are those of sequences.
template <class> struct error_sizes_of_sequences_have_no_rows;
template <class, class> struct error_groups_do_not_divide_the_filters;
template <class> struct error_layer_needs_images;
template <class> struct error_layer_needs_sequences;
template <class> struct error_layer_needs_volumes;
template <class> struct error_cropped_result_is_empty;
// clang-format on

namespace detail {

// Sizes and paddings as mistakes spell them; those of volumes are in `conv3d.hpp`.
template <auto>
struct SpelledSizes;
template <Sizes s>
struct SpelledSizes<s> : std::type_identity<sizes_given<s.height, s.width>> {};
template <auto s>
using SizesGiven = typename SpelledSizes<s>::type;
template <auto>
struct SpelledPadding;
template <Padding p>
struct SpelledPadding<p> : std::type_identity<shape<p.top, p.bottom, p.left, p.right>> {};

// Mistakes that name shapes; structs, since g++ 12 fails on aliases here.
template <Shape S>
struct NeedsImages : Mistake<error_layer_needs_images<image_is<typename Spelled<S, S.rank>::type>>> {};
template <Shape S>
struct NeedsSequences : Mistake<error_layer_needs_sequences<input_is<typename Spelled<S, S.rank>::type>>> {};
template <Sizes s>
struct SizesHaveRows : Mistake<error_sizes_of_sequences_have_no_rows<SizesGiven<s>>> {};
/// Do they say nothing of rows? `n` stands for both.
constexpr bool sizes_along_time(Sizes s) { return s.height <= 1 || s.height == s.width; }
template <Padding p>
struct PaddingHasRows : Mistake<error_padding_of_sequences_has_no_rows<shape<p.top, p.bottom, p.left, p.right>>> {};
template <Sizes w, Shape S>
struct WindowTooLarge
    : Mistake<error_pooling_window_is_larger_than_the_image<window_is<shape<w.height, w.width>>,
                                                            image_is<typename Spelled<S, S.rank>::type>>> {};
template <int groups, Shape S, Shape W>
struct GroupsDoNotDivide
    : Mistake<error_convolution_groups_do_not_divide_the_channels<groups_given<groups>,
                                                                  image_is<typename Spelled<S, S.rank>::type>,
                                                                  weights_are<typename Spelled<W, W.rank>::type>>> {};

/// Values that a convolution layer was given.
template <int filters, auto kernel, auto o>
constexpr auto check_convolution() {
    if constexpr (filters < 1) return Mistake<error_filters_must_be_positive<filters_given<filters>>>{};
    else if constexpr (!kernel.positive()) return Mistake<error_kernel_sizes_must_be_positive<SizesGiven<kernel>>>{};
    else if constexpr (!o.stride.positive()) return Mistake<error_strides_must_be_positive<SizesGiven<o.stride>>>{};
    else if constexpr (!o.dilation.positive())
        return Mistake<error_dilations_must_be_positive<SizesGiven<o.dilation>>>{};
    else if constexpr (!o.padding.positive())
        return Mistake<error_padding_is_negative<typename SpelledPadding<o.padding>::type>>{};
    else if constexpr (o.groups < 1 || filters % (o.groups < 1 ? 1 : o.groups) != 0)
        return Mistake<error_groups_do_not_divide_the_filters<groups_given<o.groups>, filters_given<filters>>>{};
    else return Mistake<>{};
}

/// (batch, height, width) is an image of one channel.
template <Shape S>
constexpr auto with_channels(Tensor<S> x) {
    if constexpr (S.rank == 3) return reshape<S[0], S[1], S[2], 1>(x);
    else return x;
}
/// Sequences are images of height 1.
template <Shape S>
constexpr auto as_image(Tensor<S> x) {
    if constexpr (S.rank == 2) return reshape<S[0], 1, S[1], 1>(x);
    else return reshape<S[0], 1, S[1], S[2]>(x);
}
template <Shape S>
constexpr auto as_sequence(Tensor<S> x) {
    return reshape<S[0], S[2], S[3]>(x);
}
template <Padding p, Shape S>
constexpr auto padded(Tensor<S> x) {
    return zero_pad<2, p.left, p.right>(zero_pad<1, p.top, p.bottom>(x));
}

}  // namespace detail

}  // namespace sigma
