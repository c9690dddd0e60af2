// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_Huber_has_no_such_option;

/// Loss for regression with outliers (Huber 1964): with d = |z - y|, ½d² where d <= delta and delta·(d - ½delta)
/// beyond, by default the mean over all elements.
struct Huber : ElementLoss<Huber, Reduction::over_elements> {
    double delta;

    constexpr explicit Huber(double delta_ = 1, Options o = {}) : ElementLoss(o), delta(delta_) {}
    template <class Unknown = error_Huber_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit Huber(double, ...) = delete;

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

}  // namespace sigma
