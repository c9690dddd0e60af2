// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Sizes, padding and options that layers of images and sequences share. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label sizes_given{"sizes", true}, padding_given{"padding", true}, filters_given{"filters"}, result_is{"result"};
inline constexpr Fault
    error_filters_must_be_positive{"filters must be positive"},
    error_kernel_sizes_must_be_positive{"kernel sizes must be positive"},
    error_strides_must_be_positive{"strides must be positive"},
    error_dilations_must_be_positive{"dilations must be positive"},
    error_padding_is_negative{"padding is negative"},
    error_padding_of_sequences_has_no_rows{"padding of sequences has no rows"},
        // Two numbers, of which the first would do nothing: sizes of sequences are {1, n} or n.
    error_sizes_of_sequences_have_no_rows{"sizes of sequences have no rows"},
    error_groups_do_not_divide_the_filters{"groups do not divide the filters"},
    error_layer_needs_images{"the layer needs images"},
    error_layer_needs_sequences{"the layer needs sequences"},
    error_layer_needs_volumes{"the layer needs volumes"},
    error_cropped_result_is_empty{"nothing is left of the result when it is cropped"};
// clang-format on

/// A height and a width.
///
/// @par Example
/// @code
/// struct Strips : Network<Input(28, 28) + Conv2D(8, {3, 5}, {.stride = 2}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
struct Sizes {
    int height = 1;  ///< Size along axis 1.
    int width = 1;   ///< Size along axis 2, or along time for sequences.
    /// Constructs sizes of 1.
    constexpr Sizes() = default;
    /// Constructs two equal sizes.
    /// @param both  height and width
    constexpr Sizes(int both) : height(both), width(both) {}
    /// Constructs sizes for each axis.
    /// @param height_  size along axis 1
    /// @param width_  size along axis 2
    constexpr Sizes(int height_, int width_) : height(height_), width(width_) {}
    /// @cond internal
    constexpr bool positive() const { return height > 0 && width > 0; }
    constexpr Given given() const { return {sizes_given, Shape{height, width}}; }
    /// @endcond
};

namespace detail {

/// Zeros around an image: `valid` adds none; `same` adds enough for ceil(size / stride) positions, with an odd one at
/// the end. Numbers: `2` for all sides, `{2, 1}` for height and width, `{top, bottom, left, right}`. For sequences, two
/// numbers are those before and after.
struct Padding {
    bool same = false;
    bool pair = false;  ///< Set by two numbers: the first is in `top` and `bottom`, the second in `left` and `right`.
    int top = 0, bottom = 0, left = 0, right = 0;
    constexpr Padding() = default;
    constexpr Padding(int all) : Padding(all, all) {}
    constexpr Padding(int first, int second) : pair(true), top(first), bottom(first), left(second), right(second) {}
    constexpr Padding(int t, int b, int l, int r) : top(t), bottom(b), left(l), right(r) {}
    constexpr int before() const { return pair ? top : left; }
    constexpr int after() const { return right; }
    /// Returns whether the padding has no rows, which sequences lack.
    constexpr bool along_time() const { return pair || (top == 0 && bottom == 0); }
    constexpr bool positive() const { return top >= 0 && bottom >= 0 && left >= 0 && right >= 0; }
    constexpr Given given() const { return {padding_given, Shape{top, bottom, left, right}}; }
    static constexpr Padding as_same() {
        Padding p;
        p.same = true;
        return p;
    }
    /// Returns this padding in numbers, for an image of height × width and a kernel that covers `reach`.
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

/// Padding that adds nothing: windows lie within the image.
///
/// @see same, ConvolutionOptions
inline constexpr detail::Padding valid{};
/// Padding with zeros until the output has ⌈size / stride⌉ positions. An odd zero goes to the end.
///
/// @par Example
/// @code
/// struct Padded : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = same}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
inline constexpr detail::Padding same = detail::Padding::as_same();

/// Options of `Conv2D`, `DepthwiseConv2D` and `ConvTranspose2D`.
///
/// @see Conv2D
struct ConvolutionOptions {
    Sizes stride{1};  ///< Step between windows, at least 1: a number or `{height, width}`.
    /// Zeros around the image: `valid` (default), `same`, a number, `{height, width}` or `{top, bottom, left, right}`.
    /// Numbers are at least 0.
    detail::Padding padding{};
    /// Distance between neighbouring elements of the kernel, at least 1: a number or `{height, width}`.
    Sizes dilation{1};
    /// Number of groups, at least 1. Divides the channels and the filters. Leave it at 1 for DepthwiseConv2D.
    int groups = 1;
    bool bias = true;  ///< Adds the parameter `biases` if true.

    /// @cond internal
    constexpr detail::Convolution geometry() const {
        return {{stride.height, stride.width}, {dilation.height, dilation.width}, groups};
    }
    /// @endcond
};
/// Options of `MaxPool` and `AveragePool`.
///
/// @see MaxPool
struct PoolingOptions {
    /// Step between windows, at least 0: a number or `{height, width}`. 0 (the default): the size of the window, so
    /// that windows do not overlap.
    Sizes stride{0};
    /// `valid` (default), `same`, a number, `{height, width}` or `{top, bottom, left, right}`; for sequences `{before,
    /// after}`. Numbers are at least 0.
    detail::Padding padding{};
};
namespace takes {
using Convolution = options_are<struct stride, struct padding, struct dilation, struct groups, struct bias>;
using Pooling = options_are<struct stride, struct padding>;
}  // namespace takes

namespace detail {

constexpr Tensor needs_images(Tensor x) { return x.refused(error_layer_needs_images, {image_is, x.shape()}); }
/// Returns whether sizes are those of a sequence, which has no rows. A single number n stands for both sizes.
constexpr bool sizes_along_time(Tensor x, Sizes s) {
    if (s.height <= 1 || s.height == s.width) return true;
    x.refused(error_sizes_of_sequences_have_no_rows, s.given());
    return false;
}

/// Returns whether filters, sizes, padding and groups of images or volumes are valid. Refuses the layer if they are
/// not.
constexpr bool good_convolution(Tensor x, int filters, auto kernel, const auto& o) {
    const auto wrong = [&](auto&&... what) { return x.refused(what...), false; };
    if (filters < 1) return wrong(error_filters_must_be_positive, Given(filters_given, filters));
    if (!kernel.positive()) return wrong(error_kernel_sizes_must_be_positive, kernel.given());
    if (!o.stride.positive()) return wrong(error_strides_must_be_positive, o.stride.given());
    if (!o.dilation.positive()) return wrong(error_dilations_must_be_positive, o.dilation.given());
    if (!o.padding.positive()) return wrong(error_padding_is_negative, o.padding.given());
    if (o.groups < 1 || filters % o.groups != 0)
        return wrong(error_groups_do_not_divide_the_filters, Given(groups_given, o.groups),
                     Given(filters_given, filters));
    return true;
}
constexpr Tensor groups_do_not_divide(Tensor x, int groups, const Shape& w) {
    return x.refused(error_convolution_groups_do_not_divide_the_channels, {groups_given, groups}, {image_is, x.shape()},
                     {weights_are, w});
}

/// Returns x with a channel axis: (batch, height, width) is an image of one channel.
constexpr Tensor with_channels(Tensor x) { return x.shape().rank == 3 ? as_column(x) : x; }
/// Returns sequences as images of height 1. (batch, time) has one feature.
constexpr Tensor as_image(Tensor x) {
    const Shape s = x.shape();
    return reshape(x, s.rank == 2 ? Shape{s[0], 1, s[1], 1} : Shape{s[0], 1, s[1], s[2]});
}
constexpr Tensor as_sequence(Tensor x) {
    const Shape s = x.shape();
    return reshape(x, {s[0], s[2], s[3]});
}
constexpr Tensor padded(Tensor x, const Padding& p) {
    return zero_pad(zero_pad(x, axis(1), p.top, p.bottom), axis(2), p.left, p.right);
}

}  // namespace detail
}  // namespace sigma
