// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_CosineLoss_has_no_such_option;

/// Loss for directions: 1 - z·y / (|z| |y|) of each row, from outputs and targets of one shape (…, n); by default the
/// mean over rows. A row with |z| or |y| of at most epsilon has no direction: its loss is 1 and its gradient 0.
struct CosineLoss : RowLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    double epsilon;
    Options options;

    constexpr explicit CosineLoss(double epsilon_ = 1e-8, Options o = {}) : epsilon(epsilon_), options(o) {}
    template <class Unknown = error_CosineLoss_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit CosineLoss(double, ...) = delete;

    static constexpr Text kind = "cosine_loss";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().epsilon > 0), error_CosineLoss_epsilon_must_be_positive<
                                                    in_thousandths<detail::thousandths(self().epsilon)>>>{};
    }
    static constexpr auto loss(auto self, auto outputs, auto targets) {
        constexpr double least = self().epsilon * self().epsilon;
        const auto y = detail::without_ignored<self().options>(targets);
        const auto z = detail::counted_rows<self().options>(outputs, targets);
        const auto zz = sum(square(z), axis<-1>, keep), yy = sum(square(y), axis<-1>, keep);
        const auto directed = min(zz, yy) > least;
        // What is not chosen below must stay finite too: its gradient is multiplied with 0.
        const auto one_over_z = rsqrt(where(directed, zz, 1.0));
        const auto scale = one_over_z * rsqrt(where(directed, yy, 1.0));
        const auto cosine = where(directed, sum(z * y, axis<-1>, keep) * scale, 0.0);
        return detail::reduced_rows<self().options>(1.0 - cosine, targets);
    }
    static constexpr auto predict(auto, auto z) { return z; }
};

}  // namespace sigma
