// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// s ← s + g², w ← w − rate · g / (√s + ε) (Duchi et al. 2011, section 1.1, diagonal form).
struct Adagrad {
    double learning_rate = 0.01;
    double epsilon = 1e-10;

    static constexpr Text name = "adagrad";
    static constexpr auto fields() {
        return std::array{Field<Adagrad>{"learning_rate", &Adagrad::learning_rate, NumberRange::finite_from_0()},
                          Field<Adagrad>{"epsilon", &Adagrad::epsilon, NumberRange::finite_above_0()}};
    }
    constexpr std::array<double, 2> scalars(std::uint64_t) const { return {learning_rate, epsilon}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable s = u.state("squares", w.shape());
        const Variable next = s + g * g;
        u.assign(s, next);
        const Variable step = u.scalar(0) * g;
        u.assign(w, w - step / (sqrt(next) + u.scalar(1)));
    }
};

}  // namespace sigma
