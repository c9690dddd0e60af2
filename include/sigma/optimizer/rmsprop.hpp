// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// s ← ρ·s + (1 − ρ)·g², w ← w − rate · g / (√s + ε) (Tieleman and Hinton 2012, lecture 6.5, "RMSProp").
struct RMSprop {
    double learning_rate = 0.01;
    double decay = 0.99;
    double epsilon = 1e-8;

    static constexpr Text name = "rmsprop";
    static constexpr auto fields() {
        return std::array{Field<RMSprop>{"learning_rate", &RMSprop::learning_rate, NumberRange::finite_from_0()},
                          Field<RMSprop>{"decay", &RMSprop::decay, NumberRange::from_0_to_below_1()},
                          Field<RMSprop>{"epsilon", &RMSprop::epsilon, NumberRange::finite_above_0()}};
    }
    constexpr std::array<double, 4> scalars(std::uint64_t) const { return {learning_rate, decay, 1 - decay, epsilon}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable s = u.state("squares", w.shape());
        const Variable kept = u.scalar(1) * s;
        const Variable next = kept + u.scalar(2) * (g * g);
        u.assign(s, next);
        const Variable scale = sqrt(next) + u.scalar(3);
        u.assign(w, w - u.scalar(0) * g / scale);
    }
};

}  // namespace sigma
