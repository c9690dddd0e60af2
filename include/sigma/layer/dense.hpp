// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/linear.hpp>

namespace sigma {

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
Dense(int, DenseOptions = {}) -> Dense<>;
template <class F = void>
Dense(int, detail::Activation<F>, DenseOptions = {}) -> Dense<F>;
template <ActivationArgument<DenseOptions> F>
Dense(int, F, DenseOptions = {}) -> Dense<FunctionOf<F>>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Dense_has_no_such_option;
template <class Options>
struct Dense<error_Dense_has_no_such_option<Options>>;
template <class Never = void>
Dense(int, ...) -> Dense<error_Dense_has_no_such_option<detail::DenseOptionNames>>;

}  // namespace sigma
