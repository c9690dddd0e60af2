// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

inline constexpr Fault error_Huber_delta_must_be_positive{"Huber: delta must be positive"},
    error_CosineLoss_epsilon_must_be_positive{"CosineLoss: epsilon must be positive"};

SIGMA_OPTIONS(SquaredDiff, Reduction)

/// Loss for regression: (z - y)² of each element, from outputs and targets of one shape; by default summed over a
/// record and the mean over the batch.
struct SquaredDiff : ElementLoss<SquaredDiff, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(SquaredDiff);

    static constexpr Text kind = "squared_diff";

    constexpr Tensor term(Tensor z, Tensor y) const { return square(z - y); }
};

SIGMA_OPTIONS(HalfSquared, Reduction)

/// Loss for regression: ½(z - y)² of each element, whose gradient is the difference; by default summed over a record
/// and the mean over the batch.
struct HalfSquared : ElementLoss<HalfSquared, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(HalfSquared);

    static constexpr Text kind = "half_squared";

    constexpr Tensor term(Tensor z, Tensor y) const { return 0.5 * square(z - y); }
};

SIGMA_OPTIONS(MeanSquaredError, Reduction)

/// Loss for regression: (z - y)² of each element, by default the mean over all elements of all records.
struct MeanSquaredError : ElementLoss<MeanSquaredError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(MeanSquaredError);

    static constexpr Text kind = "mean_squared_error";

    constexpr Tensor term(Tensor z, Tensor y) const { return square(z - y); }
};

SIGMA_OPTIONS(AbsoluteError, Reduction)

/// Loss for regression: |z - y| of each element, by default the mean over all elements. The gradient is the sign of the
/// difference, 0 where there is none.
struct AbsoluteError : ElementLoss<AbsoluteError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(AbsoluteError);

    static constexpr Text kind = "absolute_error";

    constexpr Tensor term(Tensor z, Tensor y) const { return abs(z - y); }
};

SIGMA_OPTIONS(Huber, Reduction)

/// Loss for regression with outliers (Huber 1964): with d = |z - y|, ½d² where d <= delta and delta·(d - ½delta)
/// beyond, by default the mean over all elements.
struct Huber : ElementLoss<Huber, Reduction::over_elements> {
    double delta;

    constexpr explicit Huber(double delta_ = 1, Options o = {}) : ElementLoss(o), delta(delta_) {}
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
};

SIGMA_OPTIONS(CosineLoss, Reduction)

/// Loss for directions: 1 - z·y / (|z| |y|) of each row, from outputs and targets of one shape (…, n); by default the
/// mean over rows. A row with |z| or |y| of at most epsilon has no direction: its loss is 1 and its gradient 0.
struct CosineLoss : RowLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    double epsilon;
    Options options;

    constexpr explicit CosineLoss(double epsilon_ = 1e-8, Options o = {}) : epsilon(epsilon_), options(o) {}
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
        // What is not chosen below must stay finite too: its gradient is multiplied with 0.
        const Tensor one_over_u = rsqrt(where(directed, uu, 1.0));
        const Tensor scale = one_over_u * rsqrt(where(directed, vv, 1.0));
        const Tensor cosine = where(directed, sum(u * v, axis(-1), keep) * scale, 0.0);
        return detail::reduced_rows(options, 1.0 - cosine, targets);
    }
    constexpr Tensor predict(Tensor z) const { return z; }
};

}  // namespace sigma
