// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

SIGMA_OPTIONS(SquaredDiff, Reduction)

/// Loss for regression: (z - y)² of each element, from outputs and targets of one shape; by default summed over a
/// record and the mean over the batch.
struct SquaredDiff : ElementLoss<SquaredDiff, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(SquaredDiff);

    static constexpr Text kind = "squared_diff";

    static constexpr auto term(auto, auto z, auto y) { return square(z - y); }
};

SIGMA_OPTIONS(HalfSquared, Reduction)

/// Loss for regression: ½(z - y)² of each element, whose gradient is the difference; by default summed over a record
/// and the mean over the batch.
struct HalfSquared : ElementLoss<HalfSquared, Reduction::over_batch> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(HalfSquared);

    static constexpr Text kind = "half_squared";

    static constexpr auto term(auto, auto z, auto y) { return 0.5 * square(z - y); }
};

SIGMA_OPTIONS(MeanSquaredError, Reduction)

/// Loss for regression: (z - y)² of each element, by default the mean over all elements of all records.
struct MeanSquaredError : ElementLoss<MeanSquaredError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(MeanSquaredError);

    static constexpr Text kind = "mean_squared_error";

    static constexpr auto term(auto, auto z, auto y) { return square(z - y); }
};

SIGMA_OPTIONS(AbsoluteError, Reduction)

/// Loss for regression: |z - y| of each element, by default the mean over all elements. The gradient is the sign of the
/// difference, 0 where there is none.
struct AbsoluteError : ElementLoss<AbsoluteError, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(AbsoluteError);

    static constexpr Text kind = "absolute_error";

    static constexpr auto term(auto, auto z, auto y) { return abs(z - y); }
};

SIGMA_OPTIONS(Huber, Reduction)

/// Loss for regression with outliers (Huber 1964): with d = |z - y|, ½d² where d <= delta and delta·(d - ½delta)
/// beyond, by default the mean over all elements.
struct Huber : ElementLoss<Huber, Reduction::over_elements> {
    double delta;

    constexpr explicit Huber(double delta_ = 1, Options o = {}) : ElementLoss(o), delta(delta_) {}
    SIGMA_NO_OTHER(Huber, double);

    static constexpr Text kind = "huber";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().delta > 0),
                         error_Huber_delta_must_be_positive<in_thousandths<detail::thousandths(self().delta)>>>{};
    }
    static constexpr auto term(auto self, auto z, auto y) {
        const auto distance = abs(z - y);
        const auto near = min(distance, self().delta);
        return near * (distance - 0.5 * near);
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

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().epsilon > 0), error_CosineLoss_epsilon_must_be_positive<
                                                    in_thousandths<detail::thousandths(self().epsilon)>>>{};
    }
    static constexpr auto loss(auto self, auto outputs, auto targets) {
        const auto y = detail::without_ignored<self().options>(targets);
        const auto z = detail::counted_rows<self().options>(outputs, targets);
        const auto of_z = detail::scale_to_square(z, axis<-1>, keep);
        const auto of_y = detail::scale_to_square(y, axis<-1>, keep);
        const auto u = z * of_z, v = y * of_y;
        const auto uu = sum(square(u), axis<-1>, keep), vv = sum(square(v), axis<-1>, keep);
        const auto long_u = uu > square(self().epsilon * of_z), long_v = vv > square(self().epsilon * of_y);
        const auto directed = min(long_u, long_v);
        // What is not chosen below must stay finite too: its gradient is multiplied with 0.
        const auto one_over_u = rsqrt(where(directed, uu, 1.0));
        const auto scale = one_over_u * rsqrt(where(directed, vv, 1.0));
        const auto cosine = where(directed, sum(u * v, axis<-1>, keep) * scale, 0.0);
        return detail::reduced_rows<self().options>(1.0 - cosine, targets);
    }
    static constexpr auto predict(auto, auto z) { return z; }
};

}  // namespace sigma
