// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

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

/// Convolution of sequences (batch, time, features) along time: activation(x * W + b), W of shape (kernel, features /
/// groups, filters), b of shape (filters). (batch, time) counts as one feature. `{.bias = false}` leaves b out.
template <class Function = void>
struct Conv1D : Layer {
    int filters;
    int kernel;
    SequenceOptions options{};
    detail::Activation<Function> activation{};

    constexpr Conv1D(int f, int k, SequenceOptions o = {}) : filters(f), kernel(k), options(o) {}
    constexpr Conv1D(int f, int k, detail::Activation<Function> a, SequenceOptions o = {})
        : filters(f), kernel(k), options(o), activation(a) {}

    static constexpr Text kind = "conv1d";

    static constexpr auto check(auto self) {
        return detail::check_convolution<self().filters, Sizes{1, self().kernel}, self().options.on_images()>();
    }
    static constexpr auto forward(auto self, Context& context, auto input) {
        constexpr Shape given = input.shape;
        if constexpr (given.rank < 2 || given.rank > 3) {
            return detail::NeedsSequences<given>{};
        } else {
            constexpr ConvolutionOptions o = self().options.on_images();
            constexpr detail::Convolution g = o.geometry();
            constexpr int kernel = self().kernel;
            constexpr detail::Padding p = o.padding.resolved(1, given[1], {1, g.reach(1, kernel)}, o.stride);
            const auto x = detail::padded<p>(detail::as_image(input));
            constexpr Shape image = decltype(x)::shape, w{1, kernel, image[3] / o.groups, self().filters};
            using Wrong = detail::ConvolutionMistake<g, image, w>;
            if constexpr (!detail::is_fine<Wrong>) {
                return Wrong{};
            } else {
                const auto weights = parameter<Shape{kernel, w[2], w[3]}>(context, "weights", glorot());
                if constexpr (o.bias) {
                    const auto biases = parameter<Shape{self().filters}>(context, "biases");
                    const auto y = convolve<g>(x, reshape<1, kernel, w[2], w[3]>(weights)) + biases;
                    return activated<self().activation>(detail::as_sequence(y));
                } else {
                    const auto y = convolve<g>(x, reshape<1, kernel, w[2], w[3]>(weights));
                    return activated<self().activation>(detail::as_sequence(y));
                }
            }
        }
    }
};
template <ActivationArgument<SequenceOptions> F>
Conv1D(int, int, F, SequenceOptions = {}) -> Conv1D<FunctionOf<F>>;
Conv1D(int, int) -> Conv1D<>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Conv1D_has_no_such_option;
template <class Options>
struct Conv1D<error_Conv1D_has_no_such_option<Options>>;
template <class Never = void>
Conv1D(int, int, ...) -> Conv1D<error_Conv1D_has_no_such_option<detail::ConvolutionOptionNames>>;

}  // namespace sigma
