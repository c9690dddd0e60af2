// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// What `Dense` and `Linear` may be told besides their units and activation: `Dense(64, relu, {.bias = false})`.
struct DenseOptions {
    bool bias = true;
    detail::Initializer weights = glorot();
    detail::Initializer biases = zeros;
};

/// Fully connected over the last axis, the same for each position of the others: activation(x·W + b), x of shape
/// (batch, …, inputs), W of shape (inputs, units), b of shape (units).
template <class Function = void>
struct Linear : Layer {
    int units;
    detail::Activation<Function> activation{};
    DenseOptions options{};

    constexpr explicit Linear(int units_, DenseOptions o = {}) : units(units_), options(o) {}
    constexpr Linear(int units_, detail::Activation<Function> a, DenseOptions o = {})
        : units(units_), activation(a), options(o) {}

    static constexpr Text kind = "linear";

    static constexpr auto check(auto self) {
        return MistakeIf<(self().units < 1), error_Linear_units_must_be_positive<units_given<self().units>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        const auto w = parameter<Shape{x.shape.last(), self().units}>(context, "weights", self().options.weights);
        return activated<self().activation>(detail::plus_biases<self().options.bias, Shape{self().units}>(
            context, self().options.biases, [&] { return dot(x, w); }));
    }
};
SIGMA_OPTIONS(Linear, options_are<struct bias, struct weights, struct biases>)
SIGMA_GUIDES(Linear, DenseOptions, int)

/// Fully connected: activation(x·W + b), W of shape (inputs, units), b of shape (units). A record with several axes is
/// flattened first; `Linear` keeps them and works on the last. `Dense(64, relu, {.bias = false})` has no b.
template <class Function = void>
struct Dense : Linear<Function> {
    using Linear<Function>::Linear;

    static constexpr Text kind = "dense";

    static constexpr auto check(auto self) {
        return MistakeIf<(self().units < 1), error_Dense_units_must_be_positive<units_given<self().units>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        if constexpr (x.shape.rank > 2) return Linear<Function>::forward(self, context, flatten(x));
        else return Linear<Function>::forward(self, context, x);
    }
};
SIGMA_OPTIONS(Dense, Linear)
SIGMA_GUIDES(Dense, DenseOptions, int)

struct ElementwiseOptions {
    bool bias = true;
    detail::Initializer weights = ones;
    detail::Initializer biases = zeros;
};
/// Each element of a record with a weight and a bias of its own: activation(x∘w + b), w and b of the record's shape.
template <class Function = void>
struct Elementwise : Layer {
    detail::Activation<Function> activation{};
    ElementwiseOptions options{};

    constexpr Elementwise() = default;
    constexpr explicit Elementwise(ElementwiseOptions o) : options(o) {}
    constexpr explicit Elementwise(detail::Activation<Function> a, ElementwiseOptions o = {})
        : activation(a), options(o) {}

    static constexpr Text kind = "elementwise";

    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr Shape record = x.shape.without(0);
        const auto w = parameter<record>(context, "weights", self().options.weights);
        return activated<self().activation>(
            detail::plus_biases<self().options.bias, record>(context, self().options.biases, [&] { return x * w; }));
    }
};
SIGMA_OPTIONS(Elementwise, Linear)
SIGMA_GUIDES(Elementwise, ElementwiseOptions)

}  // namespace sigma
