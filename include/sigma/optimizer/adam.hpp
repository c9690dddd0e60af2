// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

namespace detail {

/// The direction of Adam, m̂ / (√v̂ + ε) times the rate, from scalars 0 … 5; the corrections of the running means for
/// their start at zero are in the first two.
constexpr Variable adam_step(Update& u, Variable w, Variable g) {
    const Variable m = u.state("mean", w.shape()), v = u.state("squares", w.shape());
    const Variable kept_m = u.scalar(2) * m;
    const Variable next_m = kept_m + (1.0 - u.scalar(2)) * g;
    const Variable kept_v = u.scalar(3) * v;
    const Variable next_v = kept_v + u.scalar(4) * (g * g);
    u.assign(m, next_m);
    u.assign(v, next_v);
    const Variable step = u.scalar(0) * next_m;
    return step / (sqrt(next_v) * u.scalar(1) + u.scalar(5));
}
std::array<double, 6> adam_scalars(double rate, double beta1, double beta2, double epsilon, std::uint64_t step);

}  // namespace detail

/// Kingma and Ba 2015, algorithm 1: m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − rate · m̂ / (√v̂ + ε) with
/// m̂ = m / (1−β₁ᵗ), v̂ = v / (1−β₂ᵗ).
struct Adam {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;

    static constexpr Text name = "adam";
    static constexpr auto fields() {
        return std::array{Field<Adam>{"learning_rate", &Adam::learning_rate, NumberRange::finite_from_0()},
                          Field<Adam>{"beta1", &Adam::beta1, NumberRange::from_0_to_below_1()},
                          Field<Adam>{"beta2", &Adam::beta2, NumberRange::from_0_to_below_1()},
                          Field<Adam>{"epsilon", &Adam::epsilon, NumberRange::finite_above_0()}};
    }
    std::array<double, 6> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - detail::adam_step(u, w, g)); }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/adam.ipp>
#endif
