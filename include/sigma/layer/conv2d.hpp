// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// Convolution of images (batch, height, width, channels): activation(x * W + b), W of shape (height of the kernel, its
/// width, channels / groups, filters), b of shape (filters). (batch, height, width) counts as one channel.
/// `{.bias = false}` leaves b out.
///   Conv2D(16, 5, relu)    Conv2D(16, {3, 5}, {.stride = 2})    Conv2D(16, 3, relu, {.padding = same, .groups = 4})
template <class Function = void>
struct Conv2D : Layer {
    int filters;
    Sizes kernel;
    ConvolutionOptions options{};
    detail::Activation<Function> activation{};

    constexpr Conv2D(int f, Sizes k, ConvolutionOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr Conv2D(int f, Sizes k, detail::Activation<Function> a, ConvolutionOptions o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "conv2d";

    static constexpr auto check(auto self) {
        return detail::check_convolution<self().filters, self().kernel, self().options>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr Shape given = input.shape;
        if constexpr (given.rank < 3 || given.rank > 4) {
            return detail::NeedsImages<given>{};
        } else {
            constexpr ConvolutionOptions o = self().options;
            constexpr detail::Convolution g = o.geometry();
            constexpr Sizes kernel = self().kernel;
            constexpr detail::Padding p =
                o.padding.resolved(given[1], given[2], {g.reach(0, kernel.height), g.reach(1, kernel.width)}, o.stride);
            const auto x = detail::padded<p>(detail::with_channels(input));
            constexpr Shape image = decltype(x)::shape,
                            w{kernel.height, kernel.width, image[3] / o.groups, self().filters};
            using Wrong = detail::ConvolutionMistake<g, image, w>;
            if constexpr (!detail::is_fine<Wrong>) {
                return Wrong{};
            } else {
                const auto weights = parameter<w>(context, "weights", glorot());
                if constexpr (o.bias) {
                    const auto biases = parameter<Shape{self().filters}>(context, "biases");
                    return activated<self().activation>(convolve<g>(x, weights) + biases);
                } else {
                    return activated<self().activation>(convolve<g>(x, weights));
                }
            }
        }
    }
};
template <ActivationArgument<ConvolutionOptions> F>
Conv2D(int, Sizes, F, ConvolutionOptions = {}) -> Conv2D<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Conv2D_has_no_such_option;
template <class Options>
struct Conv2D<error_Conv2D_has_no_such_option<Options>>;
Conv2D(int, Sizes) -> Conv2D<>;
template <class Never = void>
Conv2D(int, Sizes, ...) -> Conv2D<error_Conv2D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
