// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Optimizers with steps divided by a root of squared gradients: Adagrad, RMSprop, Adadelta. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// Adagrad (Duchi et al. 2011, section 1.1, diagonal form): s ← s + g², w ← w − rate · g / (√s + ε).
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Adagrad{}, minibatches(training, 100));
/// @endcode
///
/// @see RMSprop
struct Adagrad {
    double learning_rate = 0.01;  ///< Learning rate, at least 0.
    double epsilon = 1e-10;       ///< Number ε added to √s, above 0.

    /// @cond internal
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
    /// @endcond
};

/// RMSprop (Tieleman and Hinton 2012, lecture 6.5): s ← ρ·s + (1 − ρ)·g², w ← w − rate · g / (√s + ε).
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, RMSprop{.learning_rate = 0.001}, minibatches(training, 100));
/// @endcode
///
/// @see Adagrad, Adam
struct RMSprop {
    double learning_rate = 0.01;  ///< Learning rate, at least 0.
    double decay = 0.99;          ///< Decay ρ of the running mean s of squared gradients, from 0 to below 1.
    double epsilon = 1e-8;        ///< Number ε added to √s, above 0.

    /// @cond internal
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
    /// @endcond
};

/// Adadelta (Zeiler 2012, algorithm 1): Δ = √(E[Δ²] + ε) / √(E[g²] + ε) · g, w ← w − rate · Δ.
///
/// E[·] are running means with the decay ρ. The rate of the paper is 1.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Adadelta{}, minibatches(training, 100));
/// @endcode
///
/// @see RMSprop
struct Adadelta {
    double learning_rate = 1;  ///< Learning rate, at least 0.
    double decay = 0.9;        ///< Decay ρ of the running means, from 0 to below 1.
    double epsilon = 1e-6;     ///< Number ε added to both running means, above 0.

    /// @cond internal
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
    /// @endcond
};

}  // namespace sigma
