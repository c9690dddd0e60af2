// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/glorot.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// Transposed convolution of images (batch, height, width, channels): each pixel spreads over a window, windows are
/// `stride` apart and add up; W of shape (height of the kernel, its width, channels, filters / groups), b of shape
/// (filters). Padding is cut off from the result: `same` leaves height · stride, explicit padding so many pixels less.
///   ConvTranspose2D(8, 4, relu, {.stride = 2, .padding = same})
template <class Function = void>
struct ConvTranspose2D : Layer {
    int filters;
    Sizes kernel;
    ConvolutionOptions options{};
    Activation<Function> activation{};

    constexpr ConvTranspose2D(int f, Sizes k, ConvolutionOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr ConvTranspose2D(int f, Sizes k, Activation<Function> a, ConvolutionOptions o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "conv_transpose2d";

    static constexpr auto check(auto self) {
        return detail::check_convolution<self().filters, self().kernel, self().options>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr Shape given = input.shape;
        if constexpr (given.rank < 3 || given.rank > 4) {
            return detail::NeedsImages<given>{};
        } else {
            const auto x = detail::with_channels(input);
            constexpr Shape image = decltype(x)::shape;
            constexpr ConvolutionOptions o = self().options;
            constexpr Convolution g = o.geometry();
            constexpr Shape w{self().kernel.height, self().kernel.width, image[3], self().filters / o.groups};
            constexpr int high = g.reach(0, w[0]), wide = g.reach(1, w[1]);
            if constexpr (image[3] % o.groups != 0) {
                return detail::GroupsDoNotDivide<o.groups, image, w>{};
            } else {
                const auto weights = parameter<w>(context, "weights", glorot());
                const auto biases = parameter<Shape{self().filters}>(context, "biases");
                constexpr Padding p = cut(o, high, wide);
                constexpr int height = (image[1] - 1) * g.stride[0] + high - p.top - p.bottom,
                              width = (image[2] - 1) * g.stride[1] + wide - p.left - p.right;
                if constexpr (height < 1 || width < 1) {
                    return Mistake<error_cropped_result_is_empty<shape<height, width>>>{};
                } else {
                    const auto y =
                        along<2, p.left, p.right>(along<1, p.top, p.bottom>(convolve_transposed<g>(x, weights)));
                    return activated<self().activation>(y + biases);
                }
            }
        }
    }

private:
    /// What is cut off (or, where negative, added) at each side.
    static constexpr Padding cut(const ConvolutionOptions& o, int high, int wide) {
        if (!o.padding.same) return o.padding;
        const int y = high - o.stride.height, x = wide - o.stride.width;
        return {y > 0 ? y / 2 : 0, y > 0 ? y - y / 2 : y, x > 0 ? x / 2 : 0, x > 0 ? x - x / 2 : x};
    }
    template <int axis, int before, int after, Shape S>
    static constexpr auto along(Tensor<S> y) {
        if constexpr (after < 0) return zero_pad<axis, 0, -after>(y);
        else return slice<axis, before, S[axis] - after>(y);
    }
};
template <ActivationArgument<ConvolutionOptions> F>
ConvTranspose2D(int, Sizes, F, ConvolutionOptions = {}) -> ConvTranspose2D<FunctionOf<F>>;

}  // namespace sigma
