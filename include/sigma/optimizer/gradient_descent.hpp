// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Optimizers without adaptive steps: GradientDescent, Momentum, Nesterov, Lion. Included by `<sigma/sigma.hpp>`.
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// Stochastic gradient descent: w ← w − rate · g.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, GradientDescent{.learning_rate = 0.1}, minibatches(training, 100));
/// @endcode
///
/// @see Momentum, Adam, docs/optimizers.md
// The update fuses with the matrix product that makes g.
struct GradientDescent {
    double learning_rate = 0.01;  ///< Learning rate, at least 0.

    /// @cond internal
    static constexpr Text name = "gradient_descent";
    static constexpr auto fields() {
        return std::array{
            Field<GradientDescent>{"learning_rate", &GradientDescent::learning_rate, NumberRange::finite_from_0()}};
    }
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {learning_rate}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
    /// @endcond
};

/// Gradient descent with momentum (Polyak 1964): v ← μ·v − rate·g, w ← w + v.
///
/// The form is that of Sutskever et al. 2013, equations 1 and 2.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Momentum{.learning_rate = 0.1}, minibatches(training, 100));
/// @endcode
///
/// @see Nesterov, GradientDescent
struct Momentum {
    double learning_rate = 0.01;  ///< Learning rate, at least 0.
    double momentum = 0.9;        ///< Momentum μ: share of the velocity v that is kept, from 0 to below 1.

    /// @cond internal
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
    /// @endcond
};

/// Nesterov's accelerated gradient: v ← μ·v − rate·g, w ← w + μ·v − rate·g.
///
/// w is the point looked ahead to: Sutskever et al. 2013, equations 3 and 4, in the variables of Bengio et al. 2013,
/// equation 7.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Nesterov{.learning_rate = 0.1}, minibatches(training, 100));
/// @endcode
///
/// @see Momentum, NAdam
struct Nesterov {
    double learning_rate = 0.01;  ///< Learning rate, at least 0.
    double momentum = 0.9;        ///< Momentum μ: share of the velocity v that is kept, from 0 to below 1.

    /// @cond internal
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
    /// @endcond
};

/// Lion (Chen et al. 2023, algorithm 2): w ← w − rate · (sign(β₁m + (1−β₁)g) + λ·w), m ← β₂m + (1−β₂)g.
///
/// Each parameter moves by the rate, so use a rate three to ten times smaller than for Adam.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Lion{.weight_decay = 0.1}, minibatches(training, 100));
/// @endcode
///
/// @see AdamW
struct Lion {
    double learning_rate = 1e-4;  ///< Learning rate, at least 0.
    double beta1 = 0.9;           ///< Share β₁ of m in the direction, from 0 to below 1.
    double beta2 = 0.99;          ///< Decay β₂ of the running mean m of gradients, from 0 to below 1.
    double weight_decay = 0;      ///< Weight decay λ, at least 0.

    /// @cond internal
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
    /// @endcond
};

/// The former name of `GradientDescent`.
///
/// @see GradientDescent, Momentum, Nesterov
using SGD [[deprecated("write GradientDescent, or Momentum or Nesterov")]] = GradientDescent;

}  // namespace sigma
