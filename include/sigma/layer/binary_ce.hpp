// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Losses for yes-or-no targets: BinaryCE, Hinge. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/reduction.hpp>

namespace sigma {

inline constexpr Fault error_BinaryCE_positive_weight_must_be_positive{
    "BinaryCE: positive_weight must be above 0 and at most 2147483647"};

/// Options of `BinaryCE`.
///
/// @see BinaryCE
struct BinaryCEOptions {
    /// Weight w of positive targets, above 0 and at most 2³¹ − 1. Above 1 for rare positives.
    double positive_weight = 1;
    Reduction reduction = Reduction::over_elements;  ///< Turns the losses of the elements into one number.
    detail::Ignored ignore{};                        ///< Target that does not count. Default: all targets count.
};
SIGMA_OPTIONS(BinaryCE, options_are<struct positive_weight, struct reduction, struct ignore>)

/// Binary cross-entropy from scores: -w·y·log σ(z) - (1-y)·log(1 - σ(z)) of each element, σ the logistic function.
///
/// Each element is one yes-or-no question, with a target y from 0 to 1. Predictions are the probabilities σ(z). An
/// answer is yes if its probability is at least 0.5. By default the loss is the mean over all elements. The weight w
/// does not change the divisor. Scores of any size are accurate. Do not apply `sigmoid` before this loss.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Errors
/// `error_BinaryCE_positive_weight_must_be_positive` if `options.positive_weight` is not in (0, 2147483647].
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Spam : Network<Input(57) + Dense(16, relu) + Dense(1) + BinaryCE({.positive_weight = 3})> {};
/// @endcode
///
/// @see Hinge, SoftmaxCE, docs/losses.md
struct BinaryCE : ElementLoss<BinaryCE, Reduction::over_elements, BinaryCEOptions> {
    using ElementLoss::ElementLoss;

    /// @cond internal
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
        // Each term keeps its digits, in the value and in the gradient. At 0, max and abs lack the slope of the whole,
        // ½·((1 - y) - w·y). A term that is 0 everywhere adds this slope.
        // Without a weight the two products with it are left out, to save time in each step.
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
    /// Returns the share of right answers. An answer is yes if its prediction is at least 0.5.
    constexpr Tensor accuracy(Tensor z, Tensor y) const {
        const Tensor answers = sigmoid(z) >= 0.5;
        return detail::share_right(options, answers, y >= 0.5, y);
    }
    /// @endcond
};

SIGMA_OPTIONS(Hinge, Reduction)

/// Hinge loss for yes-or-no targets: max(0, 1 - s·z) of each element, with s = 1 if y > 0, else -1.
///
/// Targets are 0 and 1, or -1 and 1. Predictions are the scores. An answer is yes if its score is above 0. By default
/// the loss is the mean over all elements.
///
/// @par Shape
/// Outputs z (batch, …). Targets y: the same shape.
///
/// @par Example
/// @code
/// struct Margin : Network<Input(57) + Dense(1) + Hinge()> {};
/// @endcode
///
/// @see BinaryCE, MulticlassHinge (for classes)
struct Hinge : ElementLoss<Hinge, Reduction::over_elements> {
    using ElementLoss::ElementLoss;

    /// @cond internal
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
    /// @endcond
};

}  // namespace sigma
