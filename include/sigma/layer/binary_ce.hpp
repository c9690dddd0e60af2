// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

SIGMA_OPTIONS(BinaryCE, Reduction)

/// Loss for yes or no, one score for each question: -y·log σ(z) - (1-y)·log(1 - σ(z)) of each element, from scores z
/// and targets y from 0 to 1 of one shape, by default the mean over all elements. Predictions are σ(z), σ the logistic
/// function. No score is too great.
struct BinaryCE : ElementLoss<BinaryCE, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(BinaryCE);

    static constexpr Text kind = "binary_ce";
    static constexpr bool answers_yes_or_no = true;

    constexpr detail::TargetRule targets(const Shape&) const {
        return {detail::TargetRule::Kind::share, options.ignore};
    }
    constexpr Tensor term(Tensor z, Tensor y) const {
        // Each term keeps its digits, in the value and in the gradient. At 0 neither max nor abs has the slope of the
        // whole, ½ - y, which a term that is 0 everywhere adds there.
        const Tensor no = 1.0 - y;
        const Tensor against = no * detail::chosen(no, max(z, 0.0));
        const Tensor in_favour = y * detail::chosen(y, max(-z, 0.0));
        const Tensor outside = against + in_favour;
        const Tensor l = outside + log1p(exp(-abs(z)));
        const Tensor at_zero = equal(z, 0.0);
        return l + where(at_zero, (0.5 - y) * z, 0.0);
    }
    constexpr Tensor predict(Tensor z) const { return sigmoid(z); }
    /// Answers are yes from a prediction of 0.5 on.
    constexpr Tensor accuracy(Tensor z, Tensor y) const {
        const Tensor answers = sigmoid(z) >= 0.5;
        return detail::share_right(options, answers, y >= 0.5, y);
    }
};

SIGMA_OPTIONS(Hinge, Reduction)

/// Loss for yes or no with a margin: max(0, 1 - s·z) of each element, where s = 1 for targets above 0 and -1 for
/// others, so that both 0 and 1, and -1 and 1, are good targets; by default the mean over all elements. Predictions are
/// the scores: above 0 is yes. For classes, see MulticlassHinge.
struct Hinge : ElementLoss<Hinge, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(Hinge);

    static constexpr Text kind = "hinge";

    constexpr detail::TargetRule targets(const Shape&) const {
        return {detail::TargetRule::Kind::sign, options.ignore};
    }
    constexpr Tensor loss(Tensor z, Tensor y) const {
        const Tensor sign = where(y > 0.0, 1.0, -1.0);
        return detail::reduced_elements(options, max(1.0 - sign * z, 0.0), y);
    }
    constexpr Tensor accuracy(Tensor z, Tensor y) const {
        const Tensor answers = z > 0.0;
        return detail::share_right(options, answers, y > 0.0, y);
    }
};

}  // namespace sigma
