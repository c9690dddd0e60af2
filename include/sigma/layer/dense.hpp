// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/linear.hpp>

namespace sigma {

/// Fully connected: activation(x·W + b), W of shape (inputs, units), b of shape (units). A record with several axes is
/// flattened first; `Linear` keeps them and works on the last. `Dense(64, relu, {.bias = false})` has no b.
template <class Function = void>
struct Dense : Layer {
    int units;
    Activation<Function> activation{};
    DenseOptions options{};

    constexpr explicit Dense(int units_, DenseOptions o = {}) : units(units_), options(o) {}
    constexpr Dense(int units_, NamedActivation name, DenseOptions o = {})
        : units(units_), activation{name(ActivationName{}).number}, options(o) {}
    template <class F>
        requires std::is_same_v<F, Function>
    constexpr Dense(int units_, F, DenseOptions o = {}) : units(units_), options(o) {}

    static constexpr Text kind = "dense";

    static constexpr auto check(auto self) {
        if constexpr (self().units < 1) return Verdict<error_Dense_units_must_be_positive<units_given<self().units>>>{};
        else return Verdict<>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        if constexpr (x.shape.rank > 2) return Linear<Function>::forward(self, context, flatten(x));
        else return Linear<Function>::forward(self, context, x);
    }
};
Dense(int) -> Dense<void>;
Dense(int, DenseOptions) -> Dense<void>;
Dense(int, NamedActivation) -> Dense<void>;
Dense(int, NamedActivation, DenseOptions) -> Dense<void>;
template <class F>
    requires(std::is_class_v<F> && !std::is_same_v<F, DenseOptions>)
Dense(int, F) -> Dense<F>;
template <class F>
    requires std::is_class_v<F>
Dense(int, F, DenseOptions) -> Dense<F>;

}  // namespace sigma
