// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Adam and its variants: Adam, AdamW, NAdam, RAdam. Included by `<sigma/sigma.hpp>`.
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

namespace detail {

/// Returns the step of Adam, rate · m̂ / (√v̂ + ε), from scalars 0 … 5. The first two contain the corrections for means
/// that begin with zero.
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

/// Adam (Kingma and Ba 2015, algorithm 1): w ← w − rate · m̂ / (√v̂ + ε).
///
/// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², m̂ = m / (1−β₁ᵗ), v̂ = v / (1−β₂ᵗ), for a gradient g in step t.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, Adam{.learning_rate = 0.0005}, minibatches(training, 100));
/// @endcode
///
/// @see AdamW, docs/optimizers.md
struct Adam {
    double learning_rate = 0.001;  ///< Learning rate, at least 0.
    double beta1 = 0.9;            ///< Decay β₁ of the running mean m of gradients, from 0 to below 1.
    double beta2 = 0.999;          ///< Decay β₂ of the running mean v of squared gradients, from 0 to below 1.
    double epsilon = 1e-8;         ///< Number ε added to √v̂, above 0.

    /// @cond internal
    static constexpr Text name = "adam";
    static constexpr auto fields() {
        return std::array{Field<Adam>{"learning_rate", &Adam::learning_rate, NumberRange::finite_from_0()},
                          Field<Adam>{"beta1", &Adam::beta1, NumberRange::from_0_to_below_1()},
                          Field<Adam>{"beta2", &Adam::beta2, NumberRange::from_0_to_below_1()},
                          Field<Adam>{"epsilon", &Adam::epsilon, NumberRange::finite_above_0()}};
    }
    std::array<double, 6> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - detail::adam_step(u, w, g)); }
    /// @endcond
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2): w ← w − rate · (m̂ / (√v̂ + ε) + λ·w).
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, AdamW{.weight_decay = 0.05}, minibatches(training, 100));
/// @endcode
///
/// @see Adam, l2_penalty, group
struct AdamW {
    double learning_rate = 0.001;  ///< Learning rate, at least 0.
    double beta1 = 0.9;            ///< Decay β₁ of the running mean m of gradients, from 0 to below 1.
    double beta2 = 0.999;          ///< Decay β₂ of the running mean v of squared gradients, from 0 to below 1.
    double epsilon = 1e-8;         ///< Number ε added to √v̂, above 0.
    double weight_decay = 0.01;    ///< Weight decay λ, at least 0.

    /// @cond internal
    static constexpr Text name = "adamw";
    static constexpr auto fields() {
        return std::array{Field<AdamW>{"learning_rate", &AdamW::learning_rate, NumberRange::finite_from_0()},
                          Field<AdamW>{"beta1", &AdamW::beta1, NumberRange::from_0_to_below_1()},
                          Field<AdamW>{"beta2", &AdamW::beta2, NumberRange::from_0_to_below_1()},
                          Field<AdamW>{"epsilon", &AdamW::epsilon, NumberRange::finite_above_0()},
                          Field<AdamW>{"weight_decay", &AdamW::weight_decay, NumberRange::finite_from_0()}};
    }
    std::array<double, 7> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable step = detail::adam_step(u, w, g);
        u.assign(w, w - (step + u.scalar(6) * w));
    }
    /// @endcond
};

namespace detail {

/// The new states "mean" and "squares": m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g² (Kingma and Ba 2015, algorithm 1), with
/// β₁, 1−β₁, β₂ and 1−β₂ in scalars 2 … 5. Adam computes them in its own step in another order. Compilers then contract
/// products and sums otherwise, and results would differ in their bits.
struct RunningMeans {
    Variable mean, squares;
};
constexpr RunningMeans running_means(Update& u, Variable w, Variable g) {
    const Variable m = u.state("mean", w.shape()), v = u.state("squares", w.shape());
    const Variable kept = u.scalar(2) * m, next_m = kept + u.scalar(3) * g;
    const Variable square = u.scalar(5) * (g * g), next_v = u.scalar(4) * v + square;
    u.assign(m, next_m);
    u.assign(v, next_v);
    return {next_m, next_v};
}

}  // namespace detail

/// Adam that looks ahead as Nesterov does (Dozat 2016, algorithm 2).
///
/// w ← w − rate · (μₜ₊₁m / (1 − Πμ up to t+1) + (1−μₜ)g / (1 − Πμ up to t)) / (√v̂ + ε), with m and v as in Adam and
/// μₜ = β₁(1 − ½ · 0.96^(momentum_decay · t)).
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, NAdam{}, minibatches(training, 100));
/// @endcode
///
/// @see Adam, Nesterov
struct NAdam {
    double learning_rate = 0.002;   ///< Learning rate, at least 0.
    double beta1 = 0.9;             ///< Decay β₁ of the running mean m of gradients, from 0 to below 1.
    double beta2 = 0.999;           ///< Decay β₂ of the running mean v of squared gradients, from 0 to below 1.
    double epsilon = 1e-8;          ///< Number ε added to √v̂, above 0.
    double momentum_decay = 0.004;  ///< Decay of the momentum μ, at least 0.

    /// @cond internal
    static constexpr Text name = "nadam";
    static constexpr auto fields() {
        return std::array{Field<NAdam>{"learning_rate", &NAdam::learning_rate, NumberRange::finite_from_0()},
                          Field<NAdam>{"beta1", &NAdam::beta1, NumberRange::from_0_to_below_1()},
                          Field<NAdam>{"beta2", &NAdam::beta2, NumberRange::from_0_to_below_1()},
                          Field<NAdam>{"epsilon", &NAdam::epsilon, NumberRange::finite_above_0()},
                          Field<NAdam>{"momentum_decay", &NAdam::momentum_decay, NumberRange::finite_from_0()}};
    }
    std::array<double, 8> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const auto [next_m, next_v] = detail::running_means(u, w, g);
        const Variable ahead = u.scalar(0) * next_m;
        const Variable step = ahead + u.scalar(1) * g;
        u.assign(w, w - step / (sqrt(next_v) * u.scalar(6) + u.scalar(7)));
    }
    /// @endcond
};

/// Rectified Adam (Liu et al. 2020, algorithm 2). It needs no warm-up of the learning rate.
///
/// w ← w − rate · r · m̂ · √(1−β₂ᵗ) / (√v + ε), with m and v as in Adam, ε as in PyTorch,
/// r² = (ρ−4)(ρ−2)ρ∞ / ((ρ∞−4)(ρ∞−2)ρ), ρ∞ = 2/(1−β₂) − 1 and ρ = ρ∞ − 2tβ₂ᵗ/(1−β₂ᵗ). In the first steps, while ρ is at
/// most 5, w ← w − rate · m̂.
///
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, RAdam{}, minibatches(training, 100));
/// @endcode
///
/// @see Adam
struct RAdam {
    double learning_rate = 0.001;  ///< Learning rate, at least 0.
    double beta1 = 0.9;            ///< Decay β₁ of the running mean m of gradients, from 0 to below 1.
    double beta2 = 0.999;          ///< Decay β₂ of the running mean v of squared gradients, from 0 to below 1.
    double epsilon = 1e-8;         ///< Number ε added to √v, above 0.

    /// @cond internal
    static constexpr Text name = "radam";
    static constexpr auto fields() {
        return std::array{Field<RAdam>{"learning_rate", &RAdam::learning_rate, NumberRange::finite_from_0()},
                          Field<RAdam>{"beta1", &RAdam::beta1, NumberRange::from_0_to_below_1()},
                          Field<RAdam>{"beta2", &RAdam::beta2, NumberRange::from_0_to_below_1()},
                          Field<RAdam>{"epsilon", &RAdam::epsilon, NumberRange::finite_above_0()}};
    }
    /// Returns the numbers of one step. The first multiplies m / (√v + ε), the second m alone; one of them is 0.
    std::array<double, 7> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const auto [next_m, next_v] = detail::running_means(u, w, g);
        const Variable step = u.scalar(0) * next_m;
        const Variable rectified = step / (sqrt(next_v) + u.scalar(6));
        u.assign(w, w - (rectified + u.scalar(1) * next_m));
    }
    /// @endcond
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/adam.ipp>
#endif
