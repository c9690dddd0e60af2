// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

inline constexpr Fault error_BinaryCE_positive_weight_must_be_positive{
    "BinaryCE: positive_weight must be above 0 and at most 2147483647"};

struct BinaryCEOptions {
    double positive_weight = 1;  ///< w, above 0 and below 2³¹: above 1 where a yes is rare and a missed one costs more
    Reduction reduction = Reduction::over_elements;
    detail::Ignored ignore{};
};
SIGMA_OPTIONS(BinaryCE, options_are<struct positive_weight, struct reduction, struct ignore>)

/// Loss for yes or no, one score for each question: -w·y·log σ(z) - (1-y)·log(1 - σ(z)) of each element, from scores z
/// and targets y from 0 to 1 of one shape, by default the mean over all elements, whatever w is. Predictions are σ(z),
/// σ the logistic function. No score is too great.
struct BinaryCE : ElementLoss<BinaryCE, Reduction::over_elements, BinaryCEOptions> {
    using ElementLoss::ElementLoss;
    SIGMA_NO_OTHER(BinaryCE);

    static constexpr Text kind = "binary_ce";
    static constexpr bool answers_yes_or_no = true;

    constexpr detail::TargetRule targets(const Shape&) const {
        return {detail::TargetRule::Kind::share, options.ignore};
    }
    constexpr void check_output(Tensor z) const {
        const double w = options.positive_weight;
        if (!(w > 0 && w <= 2147483647))
            z.refused(error_BinaryCE_positive_weight_must_be_positive, {in_thousandths, w});
    }
    constexpr Tensor term(Tensor z, Tensor y) const {
        // Each term keeps its digits, in the value and in the gradient. At 0 neither max nor abs has the slope of the
        // whole, ½·((1 - y) - w·y), which a term that is 0 everywhere adds there.
        // Without a weight the products with it are left out, which would cost each step two more.
        const bool even = options.positive_weight == 1;
        const Tensor no = 1.0 - y;
        const Tensor yes = even ? y : options.positive_weight * y;
        const Tensor against = no * detail::chosen(no, max(z, 0.0));
        const Tensor in_favour = yes * detail::chosen(y, max(-z, 0.0));
        const Tensor outside = against + in_favour;
        const Tensor inside = log1p(exp(-abs(z)));
        const Tensor l = outside + (even ? inside : (no + yes) * inside);
        const Tensor at_zero = equal(z, 0.0);
        return l + where(at_zero, (even ? 0.5 - y : 0.5 * (no - yes)) * z, 0.0);
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
