// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_BinaryCE_has_no_such_option;

/// Loss for yes or no, one score for each question: -y·log σ(z) - (1-y)·log(1 - σ(z)) of each element, from scores z
/// and targets y from 0 to 1 of one shape, by default the mean over all elements. Predictions are σ(z), σ the logistic
/// function. No score is too great.
struct BinaryCE : ElementLoss<BinaryCE, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    template <class Unknown = error_BinaryCE_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit BinaryCE(...) = delete;

    static constexpr Text kind = "binary_ce";
    static constexpr bool answers_yes_or_no = true;

    static constexpr detail::TargetRule targets(auto self, const Shape&) {
        return {detail::TargetRule::Kind::share, self().options.ignore};
    }
    static constexpr auto term(auto, auto z, auto y) {
        // Each term keeps its digits, in the value and in the gradient. At 0 neither max nor abs has the slope of the
        // whole, ½ - y, which a term that is 0 everywhere adds there.
        const auto no = 1.0 - y;
        const auto against = no * detail::chosen(no, max(z, 0.0));
        const auto in_favour = y * detail::chosen(y, max(-z, 0.0));
        const auto outside = against + in_favour;
        const auto l = outside + log1p(exp(-abs(z)));
        const auto at_zero = equal(z, 0.0);
        return l + where(at_zero, (0.5 - y) * z, 0.0);
    }
    static constexpr auto predict(auto, auto z) { return sigmoid(z); }
    /// Answers are yes from a prediction of 0.5 on.
    static constexpr auto accuracy(auto self, auto z, auto y) {
        return detail::share_right<self().options>(sigmoid(z) >= 0.5, y >= 0.5, y);
    }
};

}  // namespace sigma
