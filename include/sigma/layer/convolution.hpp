// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <cstddef>

namespace sigma {

namespace detail {

/// `Conv1D(32, 5, relu, {.stride = 2, .padding = same})`; explicit padding is `{before, after}`.
struct SequencePadding {
    bool same = false;
    int before = 0, after = 0;
    constexpr SequencePadding() = default;
    constexpr SequencePadding(Padding p) : same(p.same), before(p.before()), after(p.after()) {}
    constexpr SequencePadding(int both) : before(both), after(both) {}
    constexpr SequencePadding(int b, int a) : before(b), after(a) {}
};

}  // namespace detail

struct SequenceOptions {
    int stride = 1;
    detail::SequencePadding padding{};
    int dilation = 1;
    int groups = 1;
    bool bias = true;

    constexpr ConvolutionOptions on_images() const {
        detail::Padding p{0, 0, padding.before, padding.after};
        p.same = padding.same;
        return {{1, stride}, p, {1, dilation}, groups, bias};
    }
};

namespace detail {

/// What a transposed convolution cuts off (or, where negative, adds) at each side.
constexpr Padding cut(const ConvolutionOptions& o, int high, int wide) {
    if (!o.padding.same) return o.padding;
    const int y = high - o.stride.height, x = wide - o.stride.width;
    return {y > 0 ? y / 2 : 0, y > 0 ? y - y / 2 : y, x > 0 ? x / 2 : 0, x > 0 ? x - x / 2 : x};
}
constexpr Tensor cut_along(Tensor y, Axis along, int before, int after) {
    if (after < 0) return zero_pad(y, along, 0, -after);
    return slice(y, along, before, y.shape()[along.number] - after);
}

/// What layers do that move a kernel over images or over sequences, which are images of height 1.
struct WindowLayer {
    int filters;
    Sizes kernel;
    ConvolutionOptions options;
    bool sequences = false;

    /// Weights for windows of shape w, (height, width, inputs, outputs); of sequences, (width, inputs, outputs).
    constexpr Tensor weights(Context& context, const Shape& w) const {
        return parameter(context, sequences ? w.without(0) : w, "weights", glorot());
    }
    constexpr Tensor with_biases(Context& context, auto y) const {
        return plus_biases(context, options.bias, Shape{filters}, zeros, y);
    }
    /// Images, convolved, and biases.
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
    /// Images, spread over windows, and biases.
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

/// Filters, the size of their kernel, options and activation.
template <class Kernel, class Options>
struct ConvolutionLayer : Layer {
    Extent filters;
    Kernel kernel;
    Options options{};
    Activation activation{};

    constexpr ConvolutionLayer(Extent f, Kernel k, Options o = {}) : filters(f), kernel(k), options(o) {}
    constexpr ConvolutionLayer(Extent f, Kernel k, Activation a, Options o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr void each_size(auto& self, auto f) { f(self.filters); }
};
using ImageConvolution = ConvolutionLayer<Sizes, ConvolutionOptions>;
using SequenceConvolution = ConvolutionLayer<int, SequenceOptions>;

}  // namespace detail

SIGMA_OPTIONS(Conv2D, Convolution)
SIGMA_OPTIONS(Conv1D, Convolution)
SIGMA_OPTIONS(DepthwiseConv2D, Convolution)
SIGMA_OPTIONS(ConvTranspose2D, Convolution)
SIGMA_OPTIONS(ConvTranspose1D, Convolution)

/// Convolution of images (batch, height, width, channels): activation(x * W + b), W of shape (height of the kernel, its
/// width, channels / groups, filters), b of shape (filters). (batch, height, width) counts as one channel.
/// `{.bias = false}` leaves b out.
///   Conv2D(16, 5, relu)    Conv2D(16, {3, 5}, {.stride = 2})    Conv2D(16, 3, relu, {.padding = same, .groups = 4})
struct Conv2D : detail::ImageConvolution {
    using ConvolutionLayer::ConvolutionLayer;
    SIGMA_NO_OTHER(Conv2D, Extent, Sizes);

    static constexpr Text kind = "conv2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, kernel, options}.forward(context, x, activation);
    }
};

/// Convolution of sequences (batch, time, features) along time: activation(x * W + b), W of shape (kernel, features /
/// groups, filters), b of shape (filters). (batch, time) counts as one feature. `{.bias = false}` leaves b out.
struct Conv1D : detail::SequenceConvolution {
    using ConvolutionLayer::ConvolutionLayer;
    SIGMA_NO_OTHER(Conv1D, Extent, int);

    static constexpr Text kind = "conv1d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, {1, kernel}, options.on_images(), true}.forward(context, x, activation);
    }
};

/// One kernel for each channel: activation(x * W + b), W of shape (height of the kernel, its width, 1, channels), b of
/// shape (channels), left out by `{.bias = false}`. `DepthwiseConv2D(3, relu, {.padding = same})`
struct DepthwiseConv2D : Layer {
    Sizes kernel;
    ConvolutionOptions options{};
    detail::Activation activation{};

    constexpr explicit DepthwiseConv2D(Sizes k, ConvolutionOptions o = {}) : kernel(k), options(o) {}
    constexpr DepthwiseConv2D(Sizes k, detail::Activation a, ConvolutionOptions o = {})
        : kernel(k), options(o), activation(a) {}
    // {3, 1} are sizes, and nothing else that could be made of two numbers.
    template <std::size_t n>
        requires(n <= 2)
    constexpr explicit DepthwiseConv2D(const int (&k)[n], ConvolutionOptions o = {})
        : DepthwiseConv2D(Sizes(k[0], k[n - 1]), o) {}
    SIGMA_NO_OTHER(DepthwiseConv2D, Sizes);

    static constexpr Text kind = "depthwise_conv2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_convolution(x, 1, kernel, options)) return x;
        if (x.shape().rank != 4 || x.shape()[3] < 1) return detail::needs_images(x);
        detail::WindowLayer each_channel{x.shape()[3], kernel, options};
        each_channel.options.groups = each_channel.filters;
        return activation(each_channel.convolved(context, x));
    }
};

/// Transposed convolution of images (batch, height, width, channels): each pixel spreads over a window, windows are
/// `stride` apart and add up; W of shape (height of the kernel, its width, channels, filters / groups), b of shape
/// (filters). Padding is cut off from the result: `same` leaves height · stride, explicit padding so many pixels less.
/// `{.bias = false}` leaves b out.
///   ConvTranspose2D(8, 4, relu, {.stride = 2, .padding = same})
struct ConvTranspose2D : detail::ImageConvolution {
    using ConvolutionLayer::ConvolutionLayer;
    SIGMA_NO_OTHER(ConvTranspose2D, Extent, Sizes);

    static constexpr Text kind = "conv_transpose2d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, kernel, options}.forward(context, x, activation, true);
    }
};

/// Transposed convolution of sequences (batch, time, features) along time: each value spreads over a window, windows
/// are `stride` apart and add up; W of shape (kernel, features, filters / groups), b of shape (filters). (batch, time)
/// counts as one feature. Padding is cut off from the result: `same` leaves time · stride, explicit padding so much
/// less. `{.bias = false}` leaves b out.
///   ConvTranspose1D(8, 4, relu, {.stride = 2, .padding = same})
struct ConvTranspose1D : detail::SequenceConvolution {
    using ConvolutionLayer::ConvolutionLayer;
    SIGMA_NO_OTHER(ConvTranspose1D, Extent, int);

    static constexpr Text kind = "conv_transpose1d";

    constexpr Tensor forward(Context& context, Tensor x) const {
        return detail::WindowLayer{filters, {1, kernel}, options.on_images(), true}.forward(context, x, activation,
                                                                                            true);
    }
};

}  // namespace sigma
