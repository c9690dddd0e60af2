// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// v ← μ·v − rate·g, w ← w + v (Polyak 1964, in the form of Sutskever et al. 2013, equations 1 and 2).
struct Momentum {
    double learning_rate = 0.01;
    double momentum = 0.9;

    static constexpr Text name = "momentum";
    static constexpr auto fields() {
        return std::array{Field<Momentum>{"learning_rate", &Momentum::learning_rate, NumberRange::finite_from_0()},
                          Field<Momentum>{"momentum", &Momentum::momentum, NumberRange::from_0_to_below_1()}};
    }
    constexpr std::array<double, 2> scalars(std::uint64_t) const { return {learning_rate, momentum}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable v = u.state("velocity", w.shape());
        const Variable kept = u.scalar(1) * v;
        const Variable next = kept - u.scalar(0) * g;
        u.assign(v, next);
        u.assign(w, w + next);
    }
};

}  // namespace sigma
