// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

/// Loss for regression with outliers (Huber 1964): with d = |z - y|, ½d² where d <= delta and delta·(d - ½delta)
/// beyond, by default the mean over all elements.
struct Huber : ElementLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    double delta;
    Options options;

    constexpr explicit Huber(double delta_ = 1, Options o = {}) : delta(delta_), options(o) {}

    static constexpr Text kind = "huber";

    static constexpr auto check(auto self) {
        if constexpr (!(self().delta > 0))
            return Verdict<error_Huber_delta_must_be_positive<in_thousandths<detail::thousandths(self().delta)>>>{};
        else return Verdict<>{};
    }
    static constexpr auto loss(auto self, auto z, auto y) {
        const auto distance = abs(z - detail::without_ignored<self().options>(y));
        const auto near = min(distance, self().delta);
        return detail::reduced_elements<self().options>(near * (distance - 0.5 * near), y);
    }
};

}  // namespace sigma
