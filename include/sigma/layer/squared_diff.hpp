// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Losses for regression: SquaredDiff, HalfSquared, MeanSquaredError, AbsoluteError, Huber, CosineLoss. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/layer/reduction.hpp>

namespace sigma {

inline constexpr Fault error_Huber_delta_must_be_positive{"Huber: delta must be positive"},
    error_CosineLoss_epsilon_must_be_positive{"CosineLoss: epsilon must be positive"};
SIGMA_OPTIONS(SquaredDiff, Reduction)

/// Squared difference, for regression: (z - y)² of each element, summed over a record, and the mean over the batch.
///
/// `.reduction` changes this default. Predictions are z. Construct it as `SquaredDiff(options)`.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(32, relu) + Dense(1) + SquaredDiff()> {};
/// @endcode
///
/// @see MeanSquaredError, HalfSquared, docs/losses.md
struct SquaredDiff : ElementLoss<SquaredDiff, Reduction::over_batch> {
    using ElementLoss::ElementLoss;

    /// @cond internal
    SIGMA_NO_OTHER(SquaredDiff);

    static constexpr Text kind = "squared_diff";

    constexpr Tensor term(Tensor z, Tensor y) const { return square(z - y); }
    /// @endcond
};

SIGMA_OPTIONS(HalfSquared, Reduction)

/// Half of the squared difference: ½(z - y)² of each element, summed over a record, and the mean over the batch.
///
/// The gradient of an element is its difference z - y. `.reduction` changes this default. Construct it as
/// `HalfSquared(options)`.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(32, relu) + Dense(1) + HalfSquared()> {};
/// @endcode
///
/// @see SquaredDiff
struct HalfSquared : ElementLoss<HalfSquared, Reduction::over_batch> {
    using ElementLoss::ElementLoss;

    /// @cond internal
    SIGMA_NO_OTHER(HalfSquared);

    static constexpr Text kind = "half_squared";

    constexpr Tensor term(Tensor z, Tensor y) const { return 0.5 * square(z - y); }
    /// @endcond
};

SIGMA_OPTIONS(MeanSquaredError, Reduction)

/// Mean squared error, for regression: the mean of (z - y)² over all elements of all records.
///
/// Construct it as `MeanSquaredError(options)`.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(32, relu) + Dense(1) + MeanSquaredError()> {};
/// @endcode
///
/// @see SquaredDiff, AbsoluteError, Huber
struct MeanSquaredError : ElementLoss<MeanSquaredError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;

    /// @cond internal
    SIGMA_NO_OTHER(MeanSquaredError);

    static constexpr Text kind = "mean_squared_error";

    constexpr Tensor term(Tensor z, Tensor y) const { return square(z - y); }
    /// @endcond
};

SIGMA_OPTIONS(AbsoluteError, Reduction)

/// Mean absolute error, for regression: the mean of |z - y| over all elements.
///
/// The gradient is the sign of z - y, and 0 if z = y. Construct it as `AbsoluteError(options)`.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(32, relu) + Dense(1) + AbsoluteError()> {};
/// @endcode
///
/// @see Huber, MeanSquaredError
struct AbsoluteError : ElementLoss<AbsoluteError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;

    /// @cond internal
    SIGMA_NO_OTHER(AbsoluteError);

    static constexpr Text kind = "absolute_error";

    constexpr Tensor term(Tensor z, Tensor y) const { return abs(z - y); }
    /// @endcond
};

SIGMA_OPTIONS(Huber, Reduction)

/// Huber loss (Huber 1964), for regression with outliers: with d = |z - y|, ½d² if d ≤ delta, else delta·(d - ½delta).
///
/// By default the loss is the mean over all elements.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Errors
/// `error_Huber_delta_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(1) + Huber(0.5, {.reduction = Reduction::total})> {};
/// @endcode
///
/// @see MeanSquaredError, AbsoluteError
struct Huber : ElementLoss<Huber, Reduction::over_elements> {
    double delta;  ///< Difference from which the loss is linear.

    /// Constructs the loss.
    /// @param delta_  difference from which the loss is linear, above 0
    /// @param options_  reduction and ignored target
    constexpr explicit Huber(double delta_ = 1, Options options_ = {}) : ElementLoss(options_), delta(delta_) {}

    /// @cond internal
    SIGMA_NO_OTHER(Huber, double);

    static constexpr Text kind = "huber";

    constexpr void check_output(Tensor z) const {
        if (!(delta > 0)) z.refused(error_Huber_delta_must_be_positive, {in_thousandths, delta});
    }
    constexpr Tensor term(Tensor z, Tensor y) const {
        const Tensor distance = abs(z - y);
        const Tensor nearby = min(distance, delta);
        return nearby * (distance - 0.5 * nearby);
    }
    /// @endcond
};

SIGMA_OPTIONS(CosineLoss, Reduction)

/// Cosine loss, for directions: 1 - z·y / (|z| |y|) of each row.
///
/// A row with |z| or |y| of at most epsilon has no direction: its loss is 1 and its gradient 0. By default the loss is
/// the mean over rows. Predictions are z.
///
/// @par Shape
/// Outputs z (batch, …, n). Targets y: the same shape.
///
/// @par Errors
/// `error_CosineLoss_epsilon_must_be_positive`, `error_loss_needs_rows`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Directions : Network<Input(13) + Dense(3) + CosineLoss()> {};
/// @endcode
///
/// @see MeanSquaredError
struct CosineLoss : RowLoss {
    using Options = ReductionOptions<Reduction::over_elements>;  ///< Type of the options.
    double epsilon;                                              ///< Longest row without a direction.
    Options options;                                             ///< Reduction and ignored target.

    /// Constructs the loss.
    /// @param epsilon_  longest row without a direction, above 0
    /// @param options_  reduction and ignored target
    constexpr explicit CosineLoss(double epsilon_ = 1e-8, Options options_ = {})
        : epsilon(epsilon_), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(CosineLoss, double);

    static constexpr Text kind = "cosine_loss";

    constexpr void check_output(Tensor z) const {
        if (!(epsilon > 0)) z.refused(error_CosineLoss_epsilon_must_be_positive, {in_thousandths, epsilon});
        RowLoss::check_output(z);
    }
    constexpr Tensor loss(Tensor outputs, Tensor targets) const {
        const Tensor y = detail::without_ignored(options, targets);
        const Tensor z = detail::counted_rows(options, outputs, targets);
        const Tensor of_z = detail::scale_to_square(max(abs(z), axis(-1), keep));
        const Tensor of_y = detail::scale_to_square(max(abs(y), axis(-1), keep));
        const Tensor u = z * of_z, v = y * of_y;
        const Tensor uu = sum(square(u), axis(-1), keep), vv = sum(square(v), axis(-1), keep);
        const Tensor long_u = uu > square(epsilon * of_z), long_v = vv > square(epsilon * of_y);
        const Tensor directed = min(long_u, long_v);
        // Values not chosen below must stay finite, too: their gradient is multiplied by 0.
        const Tensor one_over_u = rsqrt(where(directed, uu, 1.0));
        const Tensor scale = one_over_u * rsqrt(where(directed, vv, 1.0));
        const Tensor cosine = where(directed, sum(u * v, axis(-1), keep) * scale, 0.0);
        return detail::reduced_rows(options, 1.0 - cosine, targets);
    }
    constexpr Tensor predict(Tensor z) const { return z; }
    /// @endcond
};

}  // namespace sigma
