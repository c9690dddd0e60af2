// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// Zeiler 2012, algorithm 1: with running means E of squares, Δ = √(E[Δ²] + ε) / √(E[g²] + ε) · g and w ← w − rate · Δ.
/// The paper's rate is 1.
struct Adadelta {
    double learning_rate = 1;
    double decay = 0.9;
    double epsilon = 1e-6;

    static constexpr Text name = "adadelta";
    static constexpr auto fields() {
        return std::array{Field<Adadelta>{"learning_rate", &Adadelta::learning_rate, NumberRange::finite_from_0()},
                          Field<Adadelta>{"decay", &Adadelta::decay, NumberRange::from_0_to_below_1()},
                          Field<Adadelta>{"epsilon", &Adadelta::epsilon, NumberRange::finite_above_0()}};
    }
    constexpr std::array<double, 4> scalars(std::uint64_t) const { return {learning_rate, decay, 1 - decay, epsilon}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable squares = u.state("squares", w.shape()), deltas = u.state("deltas", w.shape());
        const Variable decay = u.scalar(1), rest = u.scalar(2), epsilon = u.scalar(3);
        const Variable kept = decay * squares;
        const Variable next = kept + rest * (g * g);
        const Variable root = sqrt(deltas + epsilon);
        const Variable delta = root / sqrt(next + epsilon) * g;
        u.assign(squares, next);
        const Variable kept_deltas = decay * deltas;
        u.assign(deltas, kept_deltas + rest * (delta * delta));
        u.assign(w, w - u.scalar(0) * delta);
    }
};

}  // namespace sigma
