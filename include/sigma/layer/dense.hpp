// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/glorot.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Fully connected: activation(x·W + b), W of shape (inputs, units), b of shape (units). A record with several axes is
/// flattened first.
template <class Function = void>
struct Dense : Layer {
    int units;
    Activation<Function> activation{};

    constexpr explicit Dense(int units_) : units(units_) {}
    constexpr Dense(int units_, NamedActivation name) : units(units_), activation{name(ActivationName{}).number} {}
    template <class F>
        requires std::is_same_v<F, Function>
    constexpr Dense(int units_, F) : units(units_) {}

    static constexpr Text kind = "dense";

    static constexpr auto check(auto self) {
        if constexpr (self().units < 1) return Verdict<error_Dense_units_must_be_positive<units_given<self().units>>>{};
        else return Verdict<>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        if constexpr (x.shape.rank > 2) {
            return forward(self, context, flatten(x));
        } else {
            const auto w = parameter<Shape{x.shape.last(), self().units}>(context, "weights", glorot());
            const auto b = parameter<Shape{self().units}>(context, "biases");
            return Activation<Function>::apply(Self<self().activation>{}, dot(x, w) + b);
        }
    }
};
Dense(int) -> Dense<void>;
Dense(int, NamedActivation) -> Dense<void>;
template <class F>
    requires std::is_class_v<F>
Dense(int, F) -> Dense<F>;

}  // namespace sigma
