// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/recurrent_options.hpp>

#include <array>

namespace sigma {

namespace detail {
/// 1 for the forget gate (Gers et al. 2000), so that memory lasts before anything is learned; 0 for the others.
constexpr Initializer forget_gate_open() {
    return custom([](const ElementIndex& at, const Shape& s, ElementRandom&) {
        return static_cast<std::uint64_t>(at[0]) * 4 / static_cast<std::uint64_t>(s[0]) == 1 ? 1.0 : 0.0;
    });
}
}  // namespace detail

template <class>
struct error_LSTM_has_no_such_option;

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates): from z = x(t)·W + h(t−1)·U + b in four
/// parts,   i = σ(z₁), f = σ(z₂), g = tanh(z₃), o = σ(z₄),   c(t) = f·c(t−1) + i·g,   h(t) = o·tanh(c(t)).
/// W (features, 4·units), U (units, 4·units), b (4·units), gates in the order i, f, g, o.
struct LSTM : Layer {
    int units;
    RecurrentOptions options;

    constexpr explicit LSTM(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    template <class Unknown = error_LSTM_has_no_such_option<detail::RecurrentOptionNames>>
    constexpr explicit LSTM(int, ...) = delete;

    static constexpr Text kind = "lstm";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        const auto w = parameter<Shape{S.last(), 4 * units}>(context, "weights", glorot());
        const auto u = parameter<Shape{units, 4 * units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<self().options.bias>(context, dot(detail::masked_sequence(x, mask...), w),
                                                           detail::forget_gate_open());
        const auto cell = [&](auto now, auto h, auto c) {
            const auto all = now + dot(h, u);
            const auto i = sigmoid(detail::gate<0, units>(all)), f = sigmoid(detail::gate<1, units>(all));
            const auto g = tanh(detail::gate<2, units>(all)), o = sigmoid(detail::gate<3, units>(all));
            const auto kept = f * c;
            const auto next = kept + i * g;
            return std::tuple{o * tanh(next), next};
        };
        return detail::recur<self().options, units>(context, z, cell,
                                                    std::array<Text, 2>{Text{"h_state"}, Text{"c_state"}}, mask...);
    }
};

}  // namespace sigma
