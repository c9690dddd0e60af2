// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_Hinge_has_no_such_option;

/// Loss for yes or no with a margin: max(0, 1 - s·z) of each element, where s = 1 for targets above 0 and -1 for
/// others, so that both 0 and 1, and -1 and 1, are good targets; by default the mean over all elements. Predictions are
/// the scores: above 0 is yes. For classes, see MulticlassHinge.
struct Hinge : ElementLoss<Hinge, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_Hinge_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit Hinge(...) = delete;

    static constexpr Text kind = "hinge";

    static constexpr detail::TargetRule targets(auto self, const Shape&) {
        return {detail::TargetRule::Kind::sign, self().options.ignore};
    }
    static constexpr auto loss(auto self, auto z, auto y) {
        const auto sign = where(y > 0.0, 1.0, -1.0);
        return detail::reduced_elements<self().options>(max(1.0 - sign * z, 0.0), y);
    }
    static constexpr auto accuracy(auto self, auto z, auto y) {
        return detail::share_right<self().options>(z > 0.0, y > 0.0, y);
    }
};

}  // namespace sigma
