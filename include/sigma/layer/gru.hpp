// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/recurrent_options.hpp>

#include <array>

namespace sigma {

template <class>
struct error_GRU_has_no_such_option;

/// Gated recurrent unit (Cho et al. 2014, with the reset gate applied after the product as in libtorch and cuDNN): from
/// z = x(t)·W + b and a = h(t−1)·U in three parts,   r = σ(z₁ + a₁), u = σ(z₂ + a₂), n = tanh(z₃ + r·(a₃ + b')),
/// h(t) = (1 − u)·n + u·h(t−1).   W (features, 3·units), U (units, 3·units), b (3·units), b' (units).
struct GRU : Layer {
    int units;
    RecurrentOptions options;

    constexpr explicit GRU(int units_, RecurrentOptions o = {}) : units(units_), options(o) {}
    template <class Unknown = error_GRU_has_no_such_option<detail::RecurrentOptionNames>>
    constexpr explicit GRU(int, ...) = delete;

    static constexpr Text kind = "gru";

    static constexpr auto check(auto self) { return detail::check_units<self().units>(); }
    template <Shape S, class... Mask>
        requires(S.rank == 3)
    static constexpr auto forward(auto self, Context& context, Tensor<S> x, Mask... mask) {
        constexpr int units = self().units;
        constexpr bool bias = self().options.bias;
        const auto w = parameter<Shape{S.last(), 3 * units}>(context, "weights", glorot());
        const auto recurrent = parameter<Shape{units, 3 * units}>(context, "recurrent_weights", orthogonal());
        const auto z = detail::biased<bias>(context, dot(detail::masked_sequence(x, mask...), w));
        const auto own = [&] {
            if constexpr (bias) return parameter<Shape{units}>(context, "recurrent_biases");
            else return filled<units>(x, 0);
        }();
        const auto cell = [&](auto now, auto h) {
            const auto a = dot(h, recurrent);
            const auto reset_now = detail::gate<0, units>(now), reset_before = detail::gate<0, units>(a);
            const auto r = sigmoid(reset_now + reset_before);
            const auto update_now = detail::gate<1, units>(now), update_before = detail::gate<1, units>(a);
            const auto u = sigmoid(update_now + update_before);
            const auto new_now = detail::gate<2, units>(now), new_before = detail::gate<2, units>(a);
            const auto n = tanh(new_now + r * (new_before + own));
            return std::tuple{n + u * (h - n)};
        };
        return detail::recur<self().options, units>(context, z, cell, std::array<Text, 1>{Text{"h_state"}}, mask...);
    }
};

}  // namespace sigma
