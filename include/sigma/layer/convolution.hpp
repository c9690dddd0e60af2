// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

#include <type_traits>

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

/// Weights for windows of shape w, (height, width, inputs, outputs); of sequences, (width, inputs, outputs).
template <Shape w, bool sequences>
constexpr auto window_weights(Context& context) {
    return parameter<sequences ? Shape{w[1], w[2], w[3]} : w>(context, "weights", glorot());
}
template <Shape w, Shape S>
constexpr auto as_window(Tensor<S> weights) {
    return reshape<w[0], w[1], w[2], w[3]>(weights);
}

/// Images, convolved, and biases; or a mistake.
template <Sizes kernel, int filters, ConvolutionOptions o, bool sequences, Shape S>
constexpr auto convolved(Context& context, Tensor<S> given) {
    constexpr Convolution g = o.geometry();
    constexpr Padding p =
        o.padding.resolved(S[1], S[2], {g.reach(0, kernel.height), g.reach(1, kernel.width)}, o.stride);
    const auto x = padded<p>(given);
    constexpr Shape image = decltype(x)::shape, w{kernel.height, kernel.width, image[3] / o.groups, filters};
    using Wrong = ConvolutionMistake<g, image, w>;
    if constexpr (!is_fine<Wrong>) {
        return Wrong{};
    } else {
        const auto weights = window_weights<w, sequences>(context);
        return plus_biases<o.bias, Shape{filters}>(context, zeros,
                                                   [&] { return convolve<g>(x, as_window<w>(weights)); });
    }
}

/// What a transposed convolution cuts off (or, where negative, adds) at each side.
constexpr Padding cut(const ConvolutionOptions& o, int high, int wide) {
    if (!o.padding.same) return o.padding;
    const int y = high - o.stride.height, x = wide - o.stride.width;
    return {y > 0 ? y / 2 : 0, y > 0 ? y - y / 2 : y, x > 0 ? x / 2 : 0, x > 0 ? x - x / 2 : x};
}
template <int axis, int before, int after, Shape S>
constexpr auto cut_along(Tensor<S> y) {
    if constexpr (after < 0) return zero_pad<axis, 0, -after>(y);
    else return slice<axis, before, S[axis] - after>(y);
}
/// Images, spread over windows, and biases; or a mistake.
template <Sizes kernel, int filters, ConvolutionOptions o, bool sequences, Shape image>
constexpr auto spread(Context& context, Tensor<image> x) {
    constexpr Convolution g = o.geometry();
    constexpr Shape w{kernel.height, kernel.width, image[3], filters / o.groups};
    constexpr int high = g.reach(0, w[0]), wide = g.reach(1, w[1]);
    constexpr Padding p = cut(o, high, wide);
    constexpr int height = (image[1] - 1) * g.stride[0] + high - p.top - p.bottom,
                  width = (image[2] - 1) * g.stride[1] + wide - p.left - p.right;
    if constexpr (image[3] % o.groups != 0) {
        return GroupsDoNotDivide<o.groups, image, w>{};
    } else if constexpr (height < 1 || width < 1) {
        return Mistake<error_cropped_result_is_empty<shape<height, width>>>{};
    } else {
        const auto all = convolve_transposed<g>(x, as_window<w>(window_weights<w, sequences>(context)));
        const auto y = cut_along<2, p.left, p.right>(cut_along<1, p.top, p.bottom>(all));
        return plus_biases<o.bias, Shape{filters}>(context, zeros, [&] { return y; });
    }
}

/// Images, or sequences that were made images, through an activation; or the mistake that was made.
template <Activation activation, bool sequences>
constexpr auto finished_images(auto y) {
    if constexpr (!requires { y.variable; }) return y;
    else if constexpr (sequences) return activated<activation>(as_sequence(y));
    else return activated<activation>(y);
}

/// What layers have in common that move a kernel over images or, with a single number for its size, over sequences,
/// which are images of height 1.
template <class Kernel, class Options, class Function, bool transposed = false>
struct ConvolutionLayer : Layer {
    int filters;
    Kernel kernel;
    Options options{};
    Activation<Function> activation{};

    constexpr ConvolutionLayer(int f, Kernel k, Options o = {}) : filters(f), kernel(k), options(o) {}
    constexpr ConvolutionLayer(int f, Kernel k, Activation<Function> a, Options o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr bool sequences = std::is_same_v<Kernel, int>;
    constexpr auto window() const {
        if constexpr (sequences) return Sizes{1, kernel};
        else return kernel;
    }
    constexpr auto on_images() const {
        if constexpr (sequences) return options.on_images();
        else return options;
    }
    static constexpr auto check(auto self) {
        return check_convolution<self().filters, self().window(), self().on_images()>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr int rank = input.shape.rank;
        if constexpr (sequences && (rank < 2 || rank > 3)) {
            return NeedsSequences<input.shape>{};
        } else if constexpr (!sequences && (rank < 3 || rank > 4)) {
            return NeedsImages<input.shape>{};
        } else {
            const auto x = [&] {
                if constexpr (sequences) return as_image(input);
                else return with_channels(input);
            }();
            const auto y = [&] {
                constexpr auto layer = decltype(self){}();
                if constexpr (transposed)
                    return spread<layer.window(), layer.filters, layer.on_images(), sequences>(context, x);
                else return convolved<layer.window(), layer.filters, layer.on_images(), sequences>(context, x);
            }();
            return finished_images<self().activation, sequences>(y);
        }
    }
};

}  // namespace detail

/// Convolution of images (batch, height, width, channels): activation(x * W + b), W of shape (height of the kernel, its
/// width, channels / groups, filters), b of shape (filters). (batch, height, width) counts as one channel.
/// `{.bias = false}` leaves b out.
///   Conv2D(16, 5, relu)    Conv2D(16, {3, 5}, {.stride = 2})    Conv2D(16, 3, relu, {.padding = same, .groups = 4})
template <class Function = void>
struct Conv2D : detail::ConvolutionLayer<Sizes, ConvolutionOptions, Function> {
    using detail::ConvolutionLayer<Sizes, ConvolutionOptions, Function>::ConvolutionLayer;

    static constexpr Text kind = "conv2d";
};
SIGMA_OPTIONS(Conv2D, Convolution)
SIGMA_GUIDES(Conv2D, ConvolutionOptions, int, Sizes)

/// Convolution of sequences (batch, time, features) along time: activation(x * W + b), W of shape (kernel, features /
/// groups, filters), b of shape (filters). (batch, time) counts as one feature. `{.bias = false}` leaves b out.
template <class Function = void>
struct Conv1D : detail::ConvolutionLayer<int, SequenceOptions, Function> {
    using detail::ConvolutionLayer<int, SequenceOptions, Function>::ConvolutionLayer;

    static constexpr Text kind = "conv1d";
};
SIGMA_OPTIONS(Conv1D, Convolution)
SIGMA_GUIDES(Conv1D, SequenceOptions, int, int)

/// One kernel for each channel: activation(x * W + b), W of shape (height of the kernel, its width, 1, channels), b of
/// shape (channels), left out by `{.bias = false}`. `DepthwiseConv2D(3, relu, {.padding = same})`
template <class Function = void>
struct DepthwiseConv2D : Layer {
    Sizes kernel;
    ConvolutionOptions options{};
    detail::Activation<Function> activation{};

    constexpr explicit DepthwiseConv2D(Sizes k, ConvolutionOptions o = {}) : kernel(k), options(o) {}
    constexpr DepthwiseConv2D(Sizes k, detail::Activation<Function> a, ConvolutionOptions o = {})
        : kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "depthwise_conv2d";

    static constexpr auto check(auto self) { return detail::check_convolution<1, self().kernel, self().options>(); }
    static constexpr auto forward(auto self, Context& context, auto input) {
        if constexpr (input.shape.rank != 4) {
            return detail::NeedsImages<input.shape>{};
        } else {
            constexpr int channels = input.shape[3];
            constexpr ConvolutionOptions each_channel = [] {
                ConvolutionOptions o = decltype(self){}().options;
                o.groups = channels;
                return o;
            }();
            return detail::finished_images<self().activation, false>(
                detail::convolved<self().kernel, channels, each_channel, false>(context, input));
        }
    }
};
SIGMA_OPTIONS(DepthwiseConv2D, Convolution)
SIGMA_GUIDES(DepthwiseConv2D, ConvolutionOptions, Sizes)

/// Transposed convolution of images (batch, height, width, channels): each pixel spreads over a window, windows are
/// `stride` apart and add up; W of shape (height of the kernel, its width, channels, filters / groups), b of shape
/// (filters). Padding is cut off from the result: `same` leaves height · stride, explicit padding so many pixels less.
/// `{.bias = false}` leaves b out.
///   ConvTranspose2D(8, 4, relu, {.stride = 2, .padding = same})
template <class Function = void>
struct ConvTranspose2D : detail::ConvolutionLayer<Sizes, ConvolutionOptions, Function, true> {
    using detail::ConvolutionLayer<Sizes, ConvolutionOptions, Function, true>::ConvolutionLayer;

    static constexpr Text kind = "conv_transpose2d";
};
SIGMA_OPTIONS(ConvTranspose2D, Convolution)
SIGMA_GUIDES(ConvTranspose2D, ConvolutionOptions, int, Sizes)

/// Transposed convolution of sequences (batch, time, features) along time: each value spreads over a window, windows
/// are `stride` apart and add up; W of shape (kernel, features, filters / groups), b of shape (filters). (batch, time)
/// counts as one feature. Padding is cut off from the result: `same` leaves time · stride, explicit padding so much
/// less. `{.bias = false}` leaves b out.
///   ConvTranspose1D(8, 4, relu, {.stride = 2, .padding = same})
template <class Function = void>
struct ConvTranspose1D : detail::ConvolutionLayer<int, SequenceOptions, Function, true> {
    using detail::ConvolutionLayer<int, SequenceOptions, Function, true>::ConvolutionLayer;

    static constexpr Text kind = "conv_transpose1d";
};
SIGMA_OPTIONS(ConvTranspose1D, Convolution)
SIGMA_GUIDES(ConvTranspose1D, SequenceOptions, int, int)

}  // namespace sigma
