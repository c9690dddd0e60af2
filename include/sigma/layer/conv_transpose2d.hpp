// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

namespace detail {

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
template <Shape w>
struct WindowOf {};

/// What transposed convolutions have in common: images, spread over windows whose weights are those that
/// `weights_of(WindowOf<w>)` makes, and biases; or a mistake.
template <Sizes kernel, int filters, ConvolutionOptions o, Shape image>
constexpr auto spread(Context& context, Tensor<image> x, auto weights_of) {
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
        const auto all = convolve_transposed<g>(x, weights_of(WindowOf<w>{}));
        const auto y = cut_along<2, p.left, p.right>(cut_along<1, p.top, p.bottom>(all));
        if constexpr (o.bias) return y + parameter<Shape{filters}>(context, "biases");
        else return y;
    }
}

}  // namespace detail

/// Transposed convolution of images (batch, height, width, channels): each pixel spreads over a window, windows are
/// `stride` apart and add up; W of shape (height of the kernel, its width, channels, filters / groups), b of shape
/// (filters). Padding is cut off from the result: `same` leaves height · stride, explicit padding so many pixels less.
/// `{.bias = false}` leaves b out.
///   ConvTranspose2D(8, 4, relu, {.stride = 2, .padding = same})
template <class Function = void>
struct ConvTranspose2D : Layer {
    int filters;
    Sizes kernel;
    ConvolutionOptions options{};
    detail::Activation<Function> activation{};

    constexpr ConvTranspose2D(int f, Sizes k, ConvolutionOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr ConvTranspose2D(int f, Sizes k, detail::Activation<Function> a, ConvolutionOptions o = {})
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
            const auto weights = [&]<Shape w>(detail::WindowOf<w>) {
                return parameter<w>(context, "weights", glorot());
            };
            const auto y = detail::spread<self().kernel, self().filters, self().options>(
                context, detail::with_channels(input), weights);
            if constexpr (requires { y.variable; }) return activated<self().activation>(y);
            else return y;
        }
    }
};
template <ActivationArgument<ConvolutionOptions> F>
ConvTranspose2D(int, Sizes, F, ConvolutionOptions = {}) -> ConvTranspose2D<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_ConvTranspose2D_has_no_such_option;
template <class Options>
struct ConvTranspose2D<error_ConvTranspose2D_has_no_such_option<Options>>;
ConvTranspose2D(int, Sizes) -> ConvTranspose2D<>;
template <class Never = void>
ConvTranspose2D(int, Sizes, ...)
    -> ConvTranspose2D<error_ConvTranspose2D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
