// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/glorot.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// What `Dense` and `Linear` may be told besides their units and activation: `Dense(64, relu, {.bias = false})`.
struct DenseOptions {
    bool bias = true;
    Initializer weights = glorot();
    Initializer biases = zeros;
};

/// Fully connected over the last axis, the same for each position of the others: activation(x·W + b), x of shape
/// (batch, …, inputs), W of shape (inputs, units), b of shape (units).
template <class Function = void>
struct Linear : Layer {
    int units;
    Activation<Function> activation{};
    DenseOptions options{};

    constexpr explicit Linear(int units_, DenseOptions o = {}) : units(units_), options(o) {}
    constexpr Linear(int units_, NamedActivation name, DenseOptions o = {})
        : units(units_), activation{name(ActivationName{}).number}, options(o) {}
    template <class F>
        requires std::is_same_v<F, Function>
    constexpr Linear(int units_, F, DenseOptions o = {}) : units(units_), options(o) {}

    static constexpr Text kind = "linear";

    static constexpr auto check(auto self) {
        if constexpr (self().units < 1)
            return Verdict<error_Linear_units_must_be_positive<units_given<self().units>>>{};
        else return Verdict<>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        const auto w = parameter<Shape{x.shape.last(), self().units}>(context, "weights", self().options.weights);
        if constexpr (self().options.bias) {
            const auto b = parameter<Shape{self().units}>(context, "biases", self().options.biases);
            return Activation<Function>::apply(Self<self().activation>{}, dot(x, w) + b);
        } else {
            return Activation<Function>::apply(Self<self().activation>{}, dot(x, w));
        }
    }
};
Linear(int) -> Linear<void>;
Linear(int, DenseOptions) -> Linear<void>;
Linear(int, NamedActivation) -> Linear<void>;
Linear(int, NamedActivation, DenseOptions) -> Linear<void>;
template <class F>
    requires(std::is_class_v<F> && !std::is_same_v<F, DenseOptions>)
Linear(int, F) -> Linear<F>;
template <class F>
    requires std::is_class_v<F>
Linear(int, F, DenseOptions) -> Linear<F>;

}  // namespace sigma
