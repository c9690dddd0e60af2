// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Losses for classes and distributions: SoftmaxCE, SoftmaxDistributionCE, KLDivergence, NLL, MulticlassHinge. Included
/// by `<sigma/sigma.hpp>`.
#include <sigma/layer/reduction.hpp>

#include <array>
#include <cstddef>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label weight_number{"weight"}, weights_given{"weights"}, classes_are{"classes"};
inline constexpr Fault
    error_SoftmaxCE_needs_rows_of_classes{"softmax losses need rows of classes: (batch, classes) or (batch, time, classes)"},
    error_SoftmaxCE_needs_at_least_two_classes{"softmax losses need at least two classes"},
    error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1{"smoothing must be at least 0 and below 1"},
    error_class_weights_must_not_be_negative{"weights of classes must not be negative"},
    error_class_weights_do_not_fit_the_classes{"the loss needs as many weights as classes"},
    error_NLL_epsilon_must_be_above_0_and_below_one_half{"NLL: epsilon must be above 0 and below one half"};
// clang-format on

/// Options of `SoftmaxCE` and `SoftmaxDistributionCE`.
///
/// @see SoftmaxCE
struct SoftmaxOptions {
    double smoothing = 0;  ///< Share of each target that is spread evenly over all classes, from 0 to below 1.
    Reduction reduction = Reduction::over_elements;  ///< Turns the losses of the rows into one number.
    detail::Ignored ignore{};                        ///< Target that does not count. Default: all targets count.
};
template <std::size_t classes>
struct WeightedSoftmaxCE;

namespace detail {

/// Checks the outputs of a softmax loss: (batch, classes) or (batch, time, classes).
constexpr void check_classes(Tensor z) {
    const Shape s = z.shape();
    if (s.rank < 2 || s.rank > 3) z.refused(error_SoftmaxCE_needs_rows_of_classes, {output_is, s});
    else if (s.last() < 2) z.refused(error_SoftmaxCE_needs_at_least_two_classes, {output_is, s});
}
constexpr void check_smoothing(Tensor z, double smoothing) {
    if (!(smoothing >= 0 && smoothing < 1))
        z.refused(error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1, {in_thousandths, smoothing});
}

/// Returns the current smoothing as a tensor. Called only if the smoothing of the expression is not 0.
constexpr Tensor smoothing_now(Tensor z, double smoothing) {
    return hyperparameter(z, "smoothing", smoothing, NumberRange::from_0_to_below_1());
}

/// The common part of losses for class numbers: outputs (batch, …, classes), targets (batch, …).
template <class Of>
struct ClassLoss : Loss {
    using Options = Of;
    Options options;  ///< Reduction, ignored target, and smoothing where the loss has it.

    /// Constructs the loss.
    /// @param options_  reduction and ignored target, and smoothing where the loss has it
    constexpr explicit ClassLoss(Options options_ = {}) : options(options_) {}

    /// @cond internal
    static constexpr bool classifies = true;
    static constexpr bool reduces_records = true;
    static constexpr bool predicts_probabilities = true;

    constexpr void check_output(Tensor z) const { check_classes(z); }
    constexpr Shape target(const Shape& output) const { return output.without(output.rank - 1); }
    constexpr LabelRange labels(const Shape& output) const { return {0, output.last(), options.ignore}; }
    constexpr Tensor predict(Tensor z) const { return softmax(z); }
    /// Returns the share of rows with the greatest score at their class, among rows that count; 0 if none counts.
    constexpr Tensor accuracy(Tensor z, Tensor y) const { return share_right(options, argmax(z), y, y); }
    /// @endcond
};

/// The common part of losses for distributions: the targets of each row.
template <class Of>
struct DistributionLoss : RowLoss {
    using Options = Of;
    Options options;  ///< Reduction, ignored target, and smoothing where the loss has it.

    /// Constructs the loss.
    /// @param options_  reduction and ignored target, and smoothing where the loss has it
    constexpr explicit DistributionLoss(Options options_ = {}) : options(options_) {}

    /// @cond internal
    constexpr TargetRule targets(const Shape&) const { return {TargetRule::Kind::distribution, options.ignore}; }
    constexpr Tensor predict(Tensor z) const { return softmax(z); }
    /// @endcond
};

/// Returns the scores, with 0 in rows of an ignored class, as `counted_rows`.
constexpr Tensor counted_scores(const Reducing& how, Tensor z, Tensor classes) {
    return how.ignore.exists ? where(not_equal_to(as_column(classes), how.ignore.value), z, 0.0) : z;
}
/// Reduces the loss `l`, (…, 1), of each row. Rows of an ignored class do not count.
constexpr Tensor reduced_classes(const Reducing& how, Tensor l, Tensor classes) {
    if (!how.ignore.exists) return reduced(how.reduction, l);
    return reduced(how.reduction, l, not_equal_to(as_column(classes), how.ignore.value));
}

}  // namespace detail

SIGMA_OPTIONS(SoftmaxCE, options_are<struct smoothing, struct reduction, struct ignore>)

/// Softmax cross-entropy from scores, for classification: -log softmax(z)[y] of each row.
///
/// Targets are class numbers y from 0 to C - 1, for C classes. Predictions are softmax(z). By default the loss is the
/// mean over all rows that count. With smoothing s it is -Σ t·log softmax(z), where t = s/C + (1-s)·1[y] (Szegedy et
/// al. 2016). Rows with the target `options.ignore` do not count. Do not apply `softmax` before this loss: it does not
/// compile. Construct it as `SoftmaxCE(options)`.
///
/// @par Shape
/// Outputs z (batch, classes) or (batch, time, classes). Targets y (batch) or (batch, time).
///
/// @par Errors
/// `error_SoftmaxCE_needs_rows_of_classes`, `error_SoftmaxCE_needs_at_least_two_classes`,
/// `error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1`,
/// `error_loss_applies_the_activation_before_it_itself` after a softmax.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(10) + SoftmaxCE({.smoothing = 0.1})> {};
/// @endcode
///
/// @see SoftmaxDistributionCE, BinaryCE, MulticlassHinge, docs/losses.md
struct SoftmaxCE : detail::ClassLoss<SoftmaxOptions> {
    using ClassLoss::ClassLoss;

    /// @cond internal
    SIGMA_NO_OTHER(SoftmaxCE);
    /// @endcond

    /// Returns this loss with a weight for each class.
    /// @param weights  as many numbers as classes, each at least 0
    ///
    /// @par Example
    /// @code
    /// struct Rare : Network<Input(4) + Dense(3) + SoftmaxCE().weighted(1, 2, 0.5)> {};
    /// @endcode
    template <class... Weights>
    constexpr WeightedSoftmaxCE<sizeof...(Weights)> weighted(Weights... weights) const {
        return {options, {static_cast<double>(weights)...}};
    }
    /// Returns this loss with a weight for each class.
    /// @param weights  as many numbers as classes, each at least 0
    template <std::size_t classes>
    constexpr WeightedSoftmaxCE<classes> weighted(std::array<double, classes> weights) const {
        return {options, weights};
    }

    /// @cond internal
    static constexpr Text kind = "softmax_ce";

    constexpr void check_output(Tensor z) const {
        detail::check_smoothing(z, options.smoothing);
        detail::check_classes(z);
    }
    constexpr Tensor loss(Tensor scores, Tensor classes) const {
        const int count = scores.shape().last();
        const Tensor z = detail::counted_scores(options, scores, classes);
        const Tensor shifted = z - stop_gradient(max(z, axis(-1), keep));
        const Tensor chosen = sum(where(one_hot(classes, count), shifted, 0.0), axis(-1), keep);
        const Tensor log_sum = log(sum(exp(shifted), axis(-1), keep));
        if (options.smoothing == 0) return detail::reduced_classes(options, log_sum - chosen, classes);
        const Tensor smoothing = detail::smoothing_now(scores, options.smoothing);
        const Tensor of_class = (1.0 - smoothing) * chosen;
        const Tensor without_rest = log_sum - of_class;
        const Tensor share = smoothing / count;
        const Tensor rest = share * sum(shifted, axis(-1), keep);
        return detail::reduced_classes(options, without_rest - rest, classes);
    }
    /// @endcond
};

/// Softmax cross-entropy with a weight for each class: -Σ w·t·log softmax(z) of each row.
///
/// `SoftmaxCE().weighted(1, 2, 0.5)` makes it. The mean over elements divides by the sum of w[y] over the rows that
/// count, as in libtorch, and is 0 if this sum is 0. The mean over the batch divides by the number of records that
/// count.
/// @tparam classes  number of classes
///
/// @par Shape
/// As for `SoftmaxCE`.
///
/// @par Errors
/// Those of `SoftmaxCE`, `error_class_weights_do_not_fit_the_classes`, `error_class_weights_must_not_be_negative`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @see SoftmaxCE
template <std::size_t classes>
struct WeightedSoftmaxCE : detail::ClassLoss<SoftmaxOptions> {
    std::array<double, classes> weights;  ///< Weight of each class, at least 0.

    /// Constructs the loss.
    /// @param options_  smoothing, reduction and ignored target
    /// @param weights_  weight of each class, at least 0
    constexpr WeightedSoftmaxCE(SoftmaxOptions options_, std::array<double, classes> weights_)
        : ClassLoss(options_), weights(weights_) {}

    /// @cond internal
    static constexpr Text kind = "softmax_ce";

    constexpr void check_output(Tensor z) const {
        constexpr int count = static_cast<int>(classes);
        for (int i = 0; i < count; ++i)
            if (!(weights[static_cast<std::size_t>(i)] >= 0))
                z.refused(error_class_weights_must_not_be_negative, {weight_number, i});
        detail::check_smoothing(z, options.smoothing);
        detail::check_classes(z);
        if (const int wanted = z.shape().last(); wanted != count)
            z.refused(error_class_weights_do_not_fit_the_classes, {weights_given, count}, {classes_are, wanted});
    }
    constexpr Tensor loss(Tensor scores, Tensor labels) const {
        const Tensor z = detail::counted_scores(options, scores, labels);
        const Tensor minus_log = -log_softmax(z);
        const Tensor hot = one_hot(labels, z.shape().last());
        const Tensor w = weights_beside(z);
        const Tensor row_weight = sum(where(hot, w, 0.0), axis(-1), keep);
        const Tensor weighed = w * detail::chosen(w, minus_log);
        Tensor l = sum(where(hot, weighed, 0.0), axis(-1), keep);
        if (options.smoothing != 0) {
            const Tensor smoothing = detail::smoothing_now(scores, options.smoothing);
            const Tensor of_class = (1.0 - smoothing) * l;
            const Tensor share = smoothing / scores.shape().last();
            const Tensor spread = share * sum(weighed, axis(-1), keep);
            l = of_class + spread;
        }
        if (detail::plain(options.reduction) != Reduction::over_elements)
            return detail::reduced_classes(options, l, labels);
        if (options.ignore.exists) {
            const Tensor counted = detail::not_equal_to(detail::as_column(labels), options.ignore.value);
            const Tensor all = sum(detail::weighed(options.reduction, where(counted, l, 0.0)));
            return ratio(all, sum(where(counted, row_weight, 0.0)));
        }
        const Tensor all = sum(detail::weighed(options.reduction, l));
        return ratio(all, sum(row_weight));
    }
    /// @endcond

private:
    static constexpr Tensor ratio(Tensor total, Tensor weight) {
        const Tensor any = weight > 0.0;
        return where(any, total / where(any, weight, 1.0), 0.0);
    }
    /// Returns the weights as a vector on the tape of `z`.
    constexpr Tensor weights_beside(Tensor z) const {
        const Tensor number = iota_beside(z, static_cast<int>(classes));
        Tensor vector = where(equal(number, 0.0), weights[0], 0.0);
        for (std::size_t i = 1; i < classes; ++i)
            vector = where(equal(number, static_cast<double>(i)), weights[i], vector);
        return vector;
    }
};

SIGMA_OPTIONS(SoftmaxDistributionCE, SoftmaxCE)

/// Softmax cross-entropy with distributions as targets: -Σ q·log softmax(z) of each row.
///
/// By default the loss is the mean over rows. Smoothing s replaces q by (1-s)·q + s/C, for C classes. A row does not
/// count if all of its targets are `options.ignore`. Predictions are softmax(z). Construct it as
/// `SoftmaxDistributionCE(options)`.
///
/// @par Shape
/// Outputs z (batch, classes) or (batch, time, classes). Targets q: the same shape; each row at least 0, with the
/// sum 1.
///
/// @par Errors
/// `error_SoftmaxCE_needs_rows_of_classes`, `error_SoftmaxCE_needs_at_least_two_classes`,
/// `error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Soft : Network<Input(28, 28) + Dense(10) + SoftmaxDistributionCE()> {};
/// @endcode
///
/// @see SoftmaxCE, KLDivergence
struct SoftmaxDistributionCE : detail::DistributionLoss<SoftmaxOptions> {
    using DistributionLoss::DistributionLoss;

    /// @cond internal
    SIGMA_NO_OTHER(SoftmaxDistributionCE);

    static constexpr Text kind = "softmax_distribution_ce";

    constexpr void check_output(Tensor z) const {
        detail::check_smoothing(z, options.smoothing);
        detail::check_classes(z);
    }
    constexpr Tensor loss(Tensor z, Tensor targets) const {
        Tensor t = detail::without_ignored(options, targets);
        if (options.smoothing != 0) {
            const Tensor smoothing = detail::smoothing_now(z, options.smoothing);
            const Tensor of_class = (1.0 - smoothing) * t;
            t = of_class + smoothing / z.shape().last();
        }
        const Tensor l = detail::chosen(t, log_softmax(detail::counted_rows(options, z, targets)));
        return detail::reduced_rows(options, -sum(t * l, axis(-1), keep), targets);
    }
    /// @endcond
};

SIGMA_OPTIONS(KLDivergence, Reduction)

/// Kullback–Leibler divergence of softmax(z) from distributions q: Σ q·(log q - log softmax(z)) of each row, 0·log 0 =
/// 0.
///
/// By default the loss is the mean over rows. It is 0 if the distributions agree; its gradients are those of
/// SoftmaxDistributionCE. Predictions are softmax(z). Construct it as `KLDivergence(options)`.
///
/// @par Shape
/// Outputs z (batch, …, classes). Targets q: the same shape; each row at least 0, with the sum 1.
///
/// @par Errors
/// `error_loss_needs_rows` for outputs of one axis.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Student : Network<Input(28, 28) + Dense(10) + KLDivergence()> {};
/// @endcode
///
/// @see SoftmaxDistributionCE
struct KLDivergence : detail::DistributionLoss<ReductionOptions<Reduction::over_elements>> {
    using DistributionLoss::DistributionLoss;

    /// @cond internal
    SIGMA_NO_OTHER(KLDivergence);

    static constexpr Text kind = "kl_divergence";

    constexpr Tensor loss(Tensor z, Tensor targets) const {
        const Tensor q = detail::without_ignored(options, targets);
        const Tensor own = q * log(where(q > 0.0, q, 1.0));
        const Tensor other = detail::chosen(q, log_softmax(detail::counted_rows(options, z, targets)));
        return detail::reduced_rows(options, sum(own - q * other, axis(-1), keep), targets);
    }
    /// @endcond
};

SIGMA_OPTIONS(NLL, Reduction)

/// Negative log-likelihood from probabilities p: -Σ y·log clip(p, epsilon, 1 - epsilon) of each row.
///
/// By default the loss is the mean over rows. A clipped probability has no gradient: prefer SoftmaxCE, which uses
/// scores and always learns. Predictions are p.
///
/// @par Shape
/// Outputs p (batch, …, classes). Targets y: distributions of the same shape.
///
/// @par Errors
/// `error_NLL_epsilon_must_be_above_0_and_below_one_half`, `error_loss_needs_rows`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Likely : Network<Input(28, 28) + Dense(10, softmax) + NLL()> {};
/// @endcode
///
/// @see SoftmaxCE, SoftmaxDistributionCE
struct NLL : detail::DistributionLoss<ReductionOptions<Reduction::over_elements>> {
    double epsilon;  ///< Probabilities are cut to [epsilon, 1 - epsilon].

    /// Constructs the loss.
    /// @param epsilon_  lower limit of probabilities, above 0 and below 0.5
    /// @param options_  reduction and ignored target
    constexpr explicit NLL(double epsilon_ = 1e-7, Options options_ = {})
        : DistributionLoss(options_), epsilon(epsilon_) {}

    /// @cond internal
    SIGMA_NO_OTHER(NLL, double);

    static constexpr Text kind = "nll";

    constexpr void check_output(Tensor p) const {
        if (!(epsilon > 0 && epsilon < 0.5))
            p.refused(error_NLL_epsilon_must_be_above_0_and_below_one_half, {in_thousandths, epsilon});
        RowLoss::check_output(p);
    }
    constexpr Tensor loss(Tensor p, Tensor targets) const {
        const Tensor y = detail::without_ignored(options, targets);
        const Tensor given = detail::counted_rows(options, p, targets);
        const Tensor clipped = min(max(given, epsilon), 1.0 - epsilon);
        return detail::reduced_rows(options, -sum(y * log(clipped), axis(-1), keep), targets);
    }
    constexpr Tensor predict(Tensor p) const { return p; }
    /// @endcond
};

SIGMA_OPTIONS(MulticlassHinge, Reduction)

/// Multiclass hinge loss (Weston and Watkins 1999): Σ over the classes j ≠ y of max(0, 1 - z[y] + z[j]) of each row.
///
/// Targets are class numbers. By default the loss is the mean over rows that count; libtorch's multi_margin_loss
/// divides it by the number of classes. Predictions are the scores z. Construct it as `MulticlassHinge(options)`.
///
/// @par Shape
/// Outputs z (batch, classes) or (batch, time, classes). Targets y (batch) or (batch, time).
///
/// @par Errors
/// `error_SoftmaxCE_needs_rows_of_classes`, `error_SoftmaxCE_needs_at_least_two_classes`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Margin : Network<Input(28, 28) + Dense(10) + MulticlassHinge()> {};
/// @endcode
///
/// @see SoftmaxCE, Hinge
struct MulticlassHinge : detail::ClassLoss<ReductionOptions<Reduction::over_elements>> {
    using ClassLoss::ClassLoss;

    /// @cond internal
    SIGMA_NO_OTHER(MulticlassHinge);

    static constexpr Text kind = "multiclass_hinge";
    static constexpr bool predicts_probabilities = false;

    constexpr Tensor loss(Tensor scores, Tensor classes) const {
        const Tensor z = detail::counted_scores(options, scores, classes);
        const Tensor hot = one_hot(classes, z.shape().last());
        const Tensor chosen = sum(where(hot, z, 0.0), axis(-1), keep);
        const Tensor l = sum(where(hot, 0.0, max(1.0 - chosen + z, 0.0)), axis(-1), keep);
        return detail::reduced_classes(options, l, classes);
    }
    constexpr Tensor predict(Tensor z) const { return z; }
    /// @endcond
};

/// The former name of `SoftmaxCE`.
///
/// @see SoftmaxCE
using SoftMaxCE [[deprecated("write SoftmaxCE")]] = SoftmaxCE;

}  // namespace sigma
