// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// Nesterov's accelerated gradient: v ← μ·v − rate·g, w ← w + μ·v − rate·g, where w stands for the point looked ahead
/// to (Sutskever et al. 2013, equations 3 and 4, in the variables of Bengio et al. 2013, equation 7).
struct Nesterov {
    double learning_rate = 0.01;
    double momentum = 0.9;

    static constexpr Text name = "nesterov";
    static constexpr auto fields() {
        return std::array{Field<Nesterov>{"learning_rate", &Nesterov::learning_rate, NumberRange::finite_from_0()},
                          Field<Nesterov>{"momentum", &Nesterov::momentum, NumberRange::from_0_to_below_1()}};
    }
    constexpr std::array<double, 2> scalars(std::uint64_t) const { return {learning_rate, momentum}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable v = u.state("velocity", w.shape());
        const Variable push = u.scalar(0) * g;
        const Variable next = u.scalar(1) * v - push;
        u.assign(v, next);
        u.assign(w, w + (u.scalar(1) * next - push));
    }
};

}  // namespace sigma
