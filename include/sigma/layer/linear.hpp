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

namespace detail {
namespace option {
struct bias;
struct weights;
struct biases;
}  // namespace option
using DenseOptionNames = options_are<option::bias, option::weights, option::biases>;
}  // namespace detail
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
        if constexpr (self().options.bias) {
            const auto b = parameter<Shape{self().units}>(context, "biases", self().options.biases);
            return activated<self().activation>(dot(x, w) + b);
        } else {
            return activated<self().activation>(dot(x, w));
        }
    }
};
template <ActivationArgument<DenseOptions> F>
Linear(int, F, DenseOptions = {}) -> Linear<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Linear_has_no_such_option;
template <class Options>
struct Linear<error_Linear_has_no_such_option<Options>>;
Linear(int) -> Linear<>;
template <class Never = void>
Linear(int, ...) -> Linear<error_Linear_has_no_such_option<detail::DenseOptionNames>>;

}  // namespace sigma
