// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/conv1d.hpp>
#include <sigma/layer/conv_transpose2d.hpp>

namespace sigma {

/// Transposed convolution of sequences (batch, time, features) along time: each value spreads over a window, windows
/// are `stride` apart and add up; W of shape (kernel, features, filters / groups), b of shape (filters). (batch, time)
/// counts as one feature. Padding is cut off from the result: `same` leaves time · stride, explicit padding so much
/// less. `{.bias = false}` leaves b out.
///   ConvTranspose1D(8, 4, relu, {.stride = 2, .padding = same})
template <class Function = void>
struct ConvTranspose1D : Layer {
    int filters;
    int kernel;
    SequenceOptions options{};
    detail::Activation<Function> activation{};

    constexpr ConvTranspose1D(int f, int k, SequenceOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr ConvTranspose1D(int f, int k, detail::Activation<Function> a, SequenceOptions o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "conv_transpose1d";

    static constexpr auto check(auto self) {
        return detail::check_convolution<self().filters, Sizes{1, self().kernel}, self().options.on_images()>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr Shape given = input.shape;
        if constexpr (given.rank < 2 || given.rank > 3) {
            return detail::NeedsSequences<given>{};
        } else {
            const auto weights = [&]<Shape w>(detail::WindowOf<w>) {
                const auto along = parameter<Shape{w[1], w[2], w[3]}>(context, "weights", glorot());
                return reshape<w[0], w[1], w[2], w[3]>(along);
            };
            const auto y = detail::spread<Sizes{1, self().kernel}, self().filters, self().options.on_images()>(
                context, detail::as_image(input), weights);
            if constexpr (requires { y.variable; }) return activated<self().activation>(detail::as_sequence(y));
            else return y;
        }
    }
};
template <ActivationArgument<SequenceOptions> F>
ConvTranspose1D(int, int, F, SequenceOptions = {}) -> ConvTranspose1D<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_ConvTranspose1D_has_no_such_option;
template <class Options>
struct ConvTranspose1D<error_ConvTranspose1D_has_no_such_option<Options>>;
ConvTranspose1D(int, int) -> ConvTranspose1D<>;
template <class Never = void>
ConvTranspose1D(int, int, ...)
    -> ConvTranspose1D<error_ConvTranspose1D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
