// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Convolutions of images and sequences: Conv2D, Conv1D, DepthwiseConv2D, ConvTranspose2D, ConvTranspose1D. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <cstddef>

namespace sigma {

namespace detail {

/// Padding of a sequence: `valid`, `same`, a number for both ends, or `{before, after}`.
struct SequencePadding {
    bool same = false;
    int before = 0, after = 0;
    constexpr SequencePadding() = default;
    constexpr SequencePadding(Padding p) : same(p.same), before(p.before()), after(p.after()) {}
    constexpr SequencePadding(int both) : before(both), after(both) {}
    constexpr SequencePadding(int b, int a) : before(b), after(a) {}
};

}  // namespace detail

/// Options of `Conv1D` and `ConvTranspose1D`.
///
/// @see Conv1D
struct SequenceOptions {
    int stride = 1;  ///< Step between windows, at least 1.
    /// `valid` (default), `same`, a number, or `{before, after}`. Numbers are at least 0.
    detail::SequencePadding padding{};
    int dilation = 1;  ///< Distance between neighbouring elements of the kernel, at least 1.
    int groups = 1;    ///< Number of groups, at least 1. Divides the features and the filters.
    bool bias = true;  ///< Adds the parameter `biases` if true.

    /// @cond internal
    constexpr ConvolutionOptions on_images() const {
        detail::Padding p{0, 0, padding.before, padding.after};
        p.same = padding.same;
        return {{1, stride}, p, {1, dilation}, groups, bias};
    }
    /// @endcond
};

namespace detail {

/// Returns how many positions a transposed convolution cuts off at each side; a negative number adds positions.
constexpr Padding cut(const ConvolutionOptions& o, int high, int wide) {
    if (!o.padding.same) return o.padding;
    const int y = high - o.stride.height, x = wide - o.stride.width;
    return {y > 0 ? y / 2 : 0, y > 0 ? y - y / 2 : y, x > 0 ? x / 2 : 0, x > 0 ? x - x / 2 : x};
}
constexpr Tensor cut_along(Tensor y, Axis along, int before, int after) {
    if (after < 0) return zero_pad(y, along, 0, -after);
    return slice(y, along, before, y.shape()[along.number] - after);
}

/// The common part of layers that move a kernel over images, or over sequences, which are images of height 1.
struct WindowLayer {
    int filters;
    Sizes kernel;
    ConvolutionOptions options;
    bool sequences = false;

    /// Adds the weights for windows of shape w, (height, width, inputs, outputs); for sequences (width, inputs,
    /// outputs).
    constexpr Tensor weights(Context& context, const Shape& w) const {
        return parameter(context, sequences ? w.without(0) : w, "weights", glorot());
    }
    constexpr Tensor with_biases(Context& context, auto y) const {
        return plus_biases(context, options.bias, Shape{filters}, zeros, y);
    }
    /// Convolves images and adds biases.
    constexpr Tensor convolved(Context& context, Tensor given) const {
        const Convolution g = options.geometry();
        const Shape s = given.shape();
        const Sizes reach{g.reach(0, kernel.height), g.reach(1, kernel.width)};
        const Tensor x = padded(given, options.padding.resolved(s[1], s[2], reach, options.stride));
        const Shape w{kernel.height, kernel.width, s[3] / options.groups, filters};
        if (!convolvable(x, w, g)) return x;
        const Tensor of_window = weights(context, w);
        return with_biases(context, [&] { return convolve(x, reshape(of_window, w), g); });
    }
    /// Spreads images over windows and adds biases.
    constexpr Tensor spread(Context& context, Tensor x) const {
        const Convolution g = options.geometry();
        const Shape s = x.shape(), w{kernel.height, kernel.width, s[3], filters / options.groups};
        if (s[3] % options.groups != 0) return groups_do_not_divide(x, options.groups, w);
        const int high = g.reach(0, w[0]), wide = g.reach(1, w[1]);
        const Padding p = cut(options, high, wide);
        const int height = (s[1] - 1) * g.stride[0] + high - p.top - p.bottom,
                  width = (s[2] - 1) * g.stride[1] + wide - p.left - p.right;
        if (height < 1 || width < 1) return x.refused(error_cropped_result_is_empty, {result_is, Shape{height, width}});
        const Tensor all = convolve_transposed(x, reshape(weights(context, w), w), g);
        const Tensor y = cut_along(cut_along(all, axis(1), p.top, p.bottom), axis(2), p.left, p.right);
        return with_biases(context, [&] { return y; });
    }
    constexpr Tensor forward(Context& context, Tensor input, const Activation& activation,
                             bool transposed = false) const {
        if (!good_convolution(input, filters, kernel, options)) return input;
        const int rank = input.shape().rank;
        if (sequences && (rank < 2 || rank > 3))
            return input.refused(error_layer_needs_sequences, {input_is, input.shape()});
        if (!sequences && (rank < 3 || rank > 4)) return needs_images(input);
        const Tensor x = sequences ? as_image(input) : with_channels(input);
        const Tensor y = transposed ? spread(context, x) : convolved(context, x);
        return activation(sequences ? as_sequence(y) : y);
    }
};

/// The common part of convolution layers: filters, the sizes of their kernel, options and activation.
template <class Kernel, class Options>
struct ConvolutionLayer : Layer {
    Extent filters;           ///< Number of filters: the channels of the output.
    Kernel kernel;            ///< Size of the window.
    Options options{};        ///< Stride, padding, dilation, groups and bias.
    Activation activation{};  ///< Applied to each output. Default: identity.

    /// Constructs a layer without an activation.
    /// @param filters_  number of filters, at least 1. May be a named size, `dim<"width">`.
    /// @param kernel_  size of the window, at least 1: a number, `{height, width}` for images, or `{depth, height,
    /// width}`
    ///                 for volumes
    /// @param options_  stride, padding, dilation, groups and bias
    constexpr ConvolutionLayer(Extent filters_, Kernel kernel_, Options options_ = {})
        : filters(filters_), kernel(kernel_), options(options_) {}
    /// Constructs a layer with an activation.
    /// @param filters_  number of filters, at least 1. May be a named size, `dim<"width">`.
    /// @param kernel_  size of the window, at least 1: a number, `{height, width}` for images, or `{depth, height,
    /// width}`
    ///                 for volumes
    /// @param activation_  an activation such as `relu`
    /// @param options_  stride, padding, dilation, groups and bias
    constexpr ConvolutionLayer(Extent filters_, Kernel kernel_, Activation activation_, Options options_ = {})
        : filters(filters_), kernel(kernel_), options(options_), activation(activation_) {}

    /// @cond internal
    static constexpr void each_size(auto& self, auto f) { f(self.filters); }
    /// @endcond
};
using ImageConvolution = ConvolutionLayer<Sizes, ConvolutionOptions>;
using SequenceConvolution = ConvolutionLayer<int, SequenceOptions>;

}  // namespace detail

SIGMA_OPTIONS(Conv2D, Convolution)
SIGMA_OPTIONS(Conv1D, Convolution)
SIGMA_OPTIONS(DepthwiseConv2D, Convolution)
SIGMA_OPTIONS(ConvTranspose2D, Convolution)
SIGMA_OPTIONS(ConvTranspose1D, Convolution)

/// A convolution of images: activation(x * W + b).
///
/// Construct it as `Conv2D(filters, kernel, options)` or `Conv2D(filters, kernel, activation, options)`; the options
/// may be left out. The kernel and `.stride` are a number or `{height, width}`. `.padding` is `valid` (default),
/// `same`, a number, `{height, width}` or `{top, bottom, left, right}`. A record (height, width) is an image of one
/// channel.
///
/// @par Shape
/// Input (batch, height, width, channels). Output (batch, h, w, filters), with
/// h = ⌊(height + padding - reach) / stride⌋ + 1 and reach = (kernel - 1)·dilation + 1, and likewise w. With padding
/// `same`, h = ⌈height / stride⌉.
///
/// @par Parameters of the network
/// `weights` (kernel height, kernel width, channels / groups, filters) and, if `options.bias` is true, `biases`
/// (filters).
///
/// @par Errors
/// `error_layer_needs_images`, `error_filters_must_be_positive`, `error_kernel_sizes_must_be_positive`,
/// `error_strides_must_be_positive`, `error_dilations_must_be_positive`, `error_padding_is_negative`,
/// `error_groups_do_not_divide_the_filters`, `error_convolution_groups_do_not_divide_the_channels`,
/// `error_convolution_kernel_is_larger_than_the_padded_image`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) +
///                        Conv2D(16, 5, relu) + MaxPool(2) + Dense(120, relu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see ConvolutionOptions, DepthwiseConv2D, MaxPool, docs/layers.md
struct Conv2D : detail::ImageConvolution {
    using ConvolutionLayer::ConvolutionLayer;

    /// @cond internal
    SIGMA_NO_OTHER(Conv2D, Extent, Sizes);
    static constexpr Text kind = "conv2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, kernel, options}.forward(context, x, activation);
    }
    /// @endcond
};

/// A convolution of sequences along time: activation(x * W + b).
///
/// Construct it as `Conv1D(filters, kernel, options)` or `Conv1D(filters, kernel, activation, options)`; the options
/// may be left out. `.padding` is `valid` (default), `same`, a number, or `{before, after}`. A record (time) has one
/// feature.
///
/// @par Shape
/// Input (batch, time, features). Output (batch, t, filters), with t = ⌊(time + padding - reach) / stride⌋ + 1 and
/// reach = (kernel - 1)·dilation + 1. With padding `same`, t = ⌈time / stride⌉.
///
/// @par Parameters of the network
/// `weights` (kernel, features / groups, filters) and, if `options.bias` is true, `biases` (filters).
///
/// @par Errors
/// Those of `Conv2D`, with `error_layer_needs_sequences` for records of another rank.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Sound : Network<Input(100, 3) + Conv1D(16, 5, relu, {.stride = 2}) + Dense(4) + SoftmaxCE()> {};
/// @endcode
///
/// @see SequenceOptions, Conv2D
struct Conv1D : detail::SequenceConvolution {
    using ConvolutionLayer::ConvolutionLayer;

    /// @cond internal
    SIGMA_NO_OTHER(Conv1D, Extent, int);
    static constexpr Text kind = "conv1d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, {1, kernel}, options.on_images(), true}.forward(context, x, activation);
    }
    /// @endcond
};

/// A convolution of images with one kernel for each channel: activation(x * W + b).
///
/// @par Shape
/// Input (batch, height, width, channels), with the axis of channels. Output (batch, h, w, channels), with h and w as
/// for `Conv2D`.
///
/// @par Parameters of the network
/// `weights` (kernel height, kernel width, 1, channels) and, if `options.bias` is true, `biases` (channels).
///
/// @par Errors
/// Those of `Conv2D`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Separable : Network<Input(32, 32, 3) + DepthwiseConv2D(3, relu) + Conv2D(16, 1) + SquaredDiff()> {};
/// @endcode
///
/// @see Conv2D, ConvolutionOptions
struct DepthwiseConv2D : Layer {
    Sizes kernel;                     ///< Height and width of the window.
    ConvolutionOptions options{};     ///< Stride, padding, dilation and bias.
    detail::Activation activation{};  ///< Applied to each output. Default: identity.

    /// Constructs a layer without an activation.
    /// @param kernel_  size of the window, at least 1: a number or `{height, width}`
    /// @param options_  stride, padding, dilation and bias
    constexpr explicit DepthwiseConv2D(Sizes kernel_, ConvolutionOptions options_ = {})
        : kernel(kernel_), options(options_) {}
    /// Constructs a layer with an activation.
    /// @param kernel_  size of the window, at least 1: a number or `{height, width}`
    /// @param activation_  an activation such as `relu`
    /// @param options_  stride, padding, dilation and bias
    constexpr DepthwiseConv2D(Sizes kernel_, detail::Activation activation_, ConvolutionOptions options_ = {})
        : kernel(kernel_), options(options_), activation(activation_) {}
    /// @cond internal
    // Sizes such as {3, 1}: two numbers in braces would otherwise be ambiguous.
    template <std::size_t n>
        requires(n <= 2)
    constexpr explicit DepthwiseConv2D(const int (&kernel_)[n], ConvolutionOptions options_ = {})
        : DepthwiseConv2D(Sizes(kernel_[0], kernel_[n - 1]), options_) {}
    SIGMA_NO_OTHER(DepthwiseConv2D, Sizes);
    static constexpr Text kind = "depthwise_conv2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_convolution(x, 1, kernel, options)) return x;
        if (x.shape().rank != 4 || x.shape()[3] < 1) return detail::needs_images(x);
        detail::WindowLayer each_channel{x.shape()[3], kernel, options};
        each_channel.options.groups = each_channel.filters;
        return activation(each_channel.convolved(context, x));
    }
    /// @endcond
};

/// A transposed convolution of images: each pixel, times the kernel, is added to a window of the output.
///
/// Windows are `stride` apart. Construct it as `Conv2D`. Padding is cut off from the result: `same` leaves
/// height · stride rows, and padding in numbers takes so many rows away.
///
/// @par Shape
/// Input (batch, height, width, channels) or (batch, height, width). Output (batch, h, w, filters), with
/// h = (height - 1)·stride + reach - padding and reach = (kernel - 1)·dilation + 1; with padding `same`,
/// h = height · stride.
///
/// @par Parameters of the network
/// `weights` (kernel height, kernel width, channels, filters / groups) and, if `options.bias` is true, `biases`
/// (filters).
///
/// @par Errors
/// Those of `Conv2D`, and `error_cropped_result_is_empty` if padding leaves nothing of the result.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Larger : Network<Input(7, 7, 16) + ConvTranspose2D(8, 4, relu, {.stride = 2, .padding = same}) +
///                         Conv2D(1, 3, {.padding = same}) + SquaredDiff()> {};  // (7, 7, 16) -> (14, 14, 1)
/// @endcode
///
/// @see Upsample, Conv2D
struct ConvTranspose2D : detail::ImageConvolution {
    using ConvolutionLayer::ConvolutionLayer;

    /// @cond internal
    SIGMA_NO_OTHER(ConvTranspose2D, Extent, Sizes);
    static constexpr Text kind = "conv_transpose2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, kernel, options}.forward(context, x, activation, true);
    }
    /// @endcond
};

/// A transposed convolution of sequences along time: each value, times the kernel, is added to a window of the output.
///
/// Windows are `stride` apart. Construct it as `Conv1D`. Padding is cut off from the result: `same` leaves
/// time · stride positions, and padding in numbers takes so many positions away.
///
/// @par Shape
/// Input (batch, time, features) or (batch, time). Output (batch, t, filters), with
/// t = (time - 1)·stride + reach - padding and reach = (kernel - 1)·dilation + 1; with padding `same`, t = time ·
/// stride.
///
/// @par Parameters of the network
/// `weights` (kernel, features, filters / groups) and, if `options.bias` is true, `biases` (filters).
///
/// @par Errors
/// Those of `Conv1D`, and `error_cropped_result_is_empty` if padding leaves nothing of the result.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Longer : Network<Input(25, 8) + ConvTranspose1D(4, 4, relu, {.stride = 2}) + SquaredDiff()> {};
/// @endcode
///
/// @see Upsample, Conv1D
struct ConvTranspose1D : detail::SequenceConvolution {
    using ConvolutionLayer::ConvolutionLayer;

    /// @cond internal
    SIGMA_NO_OTHER(ConvTranspose1D, Extent, int);
    static constexpr Text kind = "conv_transpose1d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, {1, kernel}, options.on_images(), true}.forward(context, x, activation,
                                                                                            true);
    }
    /// @endcond
};

}  // namespace sigma
