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
