// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/recurrent_options.hpp>

#include <array>

namespace sigma {

/// Simple recurrence (Elman 1990): h(t) = activation(x(t)·W + h(t−1)·U + b), h before the first step 0. W (features,
/// units), U (units, units), b (units).
template <class Function = void>
struct Recurrent : Layer {
    int units;
    detail::Activation<Function> activation{ActivationKind::tanh};
    RecurrentOptions options;

    constexpr explicit Recurrent(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    constexpr Recurrent(int units_, detail::Activation<Function> a, RecurrentOptions o = {})
        : units(units_), activation(a), options(o) {}

    static constexpr Text kind = "recurrent";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        const auto w = parameter<Shape{S.last(), units}>(context, "weights", glorot());
        const auto u = parameter<Shape{units, units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<self().options.bias>(context, dot(detail::masked_sequence(x, mask...), w));
        const auto cell = [&](auto now, auto h) { return std::tuple{activated<self().activation>(now + dot(h, u))}; };
        return detail::recur<self().options, units>(context, z, cell, std::array<Text, 1>{Text{"h_state"}}, mask...);
    }
};
template <ActivationArgument<RecurrentOptions> F>
Recurrent(int, F, RecurrentOptions = {}) -> Recurrent<FunctionOf<F>>;
Recurrent(int) -> Recurrent<>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Recurrent_has_no_such_option;
template <class Options>
struct Recurrent<error_Recurrent_has_no_such_option<Options>>;
template <class Never = void>
Recurrent(int, ...) -> Recurrent<error_Recurrent_has_no_such_option<detail::RecurrentOptionNames>>;

}  // namespace sigma
