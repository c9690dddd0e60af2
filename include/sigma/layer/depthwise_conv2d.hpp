// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

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
        constexpr Shape given = input.shape;
        if constexpr (given.rank != 4) {
            return detail::NeedsImages<given>{};
        } else {
            constexpr ConvolutionOptions o = self().options;
            constexpr detail::Convolution g{
                {o.stride.height, o.stride.width}, {o.dilation.height, o.dilation.width}, given[3]};
            constexpr Sizes kernel = self().kernel;
            constexpr detail::Padding p =
                o.padding.resolved(given[1], given[2], {g.reach(0, kernel.height), g.reach(1, kernel.width)}, o.stride);
            const auto x = detail::padded<p>(input);
            constexpr Shape image = decltype(x)::shape, w{kernel.height, kernel.width, 1, given[3]};
            using Wrong = detail::ConvolutionMistake<g, image, w>;
            if constexpr (!detail::is_fine<Wrong>) {
                return Wrong{};
            } else {
                const auto weights = parameter<w>(context, "weights", glorot());
                if constexpr (o.bias) {
                    const auto biases = parameter<Shape{given[3]}>(context, "biases");
                    return activated<self().activation>(convolve<g>(x, weights) + biases);
                } else {
                    return activated<self().activation>(convolve<g>(x, weights));
                }
            }
        }
    }
};
template <ActivationArgument<ConvolutionOptions> F>
DepthwiseConv2D(Sizes, F, ConvolutionOptions = {}) -> DepthwiseConv2D<FunctionOf<F>>;
DepthwiseConv2D(Sizes) -> DepthwiseConv2D<>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_DepthwiseConv2D_has_no_such_option;
template <class Options>
struct DepthwiseConv2D<error_DepthwiseConv2D_has_no_such_option<Options>>;
template <class Never = void>
DepthwiseConv2D(Sizes, ...)
    -> DepthwiseConv2D<error_DepthwiseConv2D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
