// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// w ← w − rate · g. Folds into the matrix product that makes g.
struct GradientDescent {
    double learning_rate = 0.01;

    static constexpr Text name = "gradient_descent";
    static constexpr auto fields() {
        return std::array{
            Field<GradientDescent>{"learning_rate", &GradientDescent::learning_rate, NumberRange::finite_from_0()}};
    }
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {learning_rate}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};

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

/// w ← w − rate · (sign(β₁m + (1−β₁)g) + λ·w), m ← β₂m + (1−β₂)g (Chen et al. 2023, algorithm 2). Every number moves by
/// the rate, which therefore is three to ten times smaller than Adam's.
struct Lion {
    double learning_rate = 1e-4;
    double beta1 = 0.9;
    double beta2 = 0.99;
    double weight_decay = 0;

    static constexpr Text name = "lion";
    static constexpr auto fields() {
        return std::array{Field<Lion>{"learning_rate", &Lion::learning_rate, NumberRange::finite_from_0()},
                          Field<Lion>{"beta1", &Lion::beta1, NumberRange::from_0_to_below_1()},
                          Field<Lion>{"beta2", &Lion::beta2, NumberRange::from_0_to_below_1()},
                          Field<Lion>{"weight_decay", &Lion::weight_decay, NumberRange::finite_from_0()}};
    }
    constexpr std::array<double, 6> scalars(std::uint64_t) const {
        return {learning_rate, beta1, 1 - beta1, beta2, 1 - beta2, learning_rate * weight_decay};
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable m = u.state("mean", w.shape());
        const Variable kept = u.scalar(1) * m, direction = sign(kept + u.scalar(2) * g);
        const Variable slow = u.scalar(3) * m;
        u.assign(m, slow + u.scalar(4) * g);
        const Variable moved = u.scalar(0) * direction;
        u.assign(w, w - (moved + u.scalar(5) * w));
    }
};

using SGD [[deprecated("write GradientDescent, or Momentum or Nesterov")]] = GradientDescent;

}  // namespace sigma
