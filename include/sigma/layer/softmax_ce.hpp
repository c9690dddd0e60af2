// SPDX-License-Identifier: BSL-1.0
#pragma once
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
    error_class_weights_do_not_fit_the_classes{"as many weights as classes are needed"},
    error_NLL_epsilon_must_be_above_0_and_below_one_half{"NLL: epsilon must be above 0 and below one half"};
// clang-format on

struct SoftmaxOptions {
    double smoothing = 0;  ///< this share of each target is spread evenly over all classes (Szegedy et al. 2016)
    Reduction reduction = Reduction::over_elements;
    detail::Ignored ignore{};
};
template <std::size_t classes>
struct WeightedSoftmaxCE;

namespace detail {

/// What softmax losses need of their outputs: (batch, classes) or (batch, time, classes).
constexpr void check_classes(Tensor z) {
    const Shape s = z.shape();
    if (s.rank < 2 || s.rank > 3) z.refused(error_SoftmaxCE_needs_rows_of_classes, {output_is, s});
    else if (s.last() < 2) z.refused(error_SoftmaxCE_needs_at_least_two_classes, {output_is, s});
}
constexpr void check_smoothing(Tensor z, double smoothing) {
    if (!(smoothing >= 0 && smoothing < 1))
        z.refused(error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1, {in_thousandths, smoothing});
}

/// The share of each target that is spread over all classes, as it is now; asked for where it is not 0.
constexpr Tensor smoothing_now(Tensor z, double smoothing) {
    return hyperparameter(z, "smoothing", smoothing, NumberRange::from_0_to_below_1());
}

/// What losses over class numbers have in common: (batch, …, classes) against (batch, …).
template <class Of>
struct ClassLoss : Loss {
    using Options = Of;
    Options options;

    constexpr explicit ClassLoss(Options o = {}) : options(o) {}

    static constexpr bool classifies = true;
    static constexpr bool reduces_records = true;
    static constexpr bool predicts_probabilities = true;

    constexpr void check_output(Tensor z) const { check_classes(z); }
    constexpr Shape target(const Shape& output) const { return output.without(output.rank - 1); }
    constexpr LabelRange labels(const Shape& output) const { return {0, output.last(), options.ignore}; }
    constexpr Tensor predict(Tensor z) const { return softmax(z); }
    /// The share of the rows that count whose class has the greatest score; 0 where none counts.
    constexpr Tensor accuracy(Tensor z, Tensor y) const { return share_right(options, argmax(z), y, y); }
};

/// What losses have in common whose targets are a distribution in each row.
template <class Of>
struct DistributionLoss : RowLoss {
    using Options = Of;
    Options options;

    constexpr explicit DistributionLoss(Options o = {}) : options(o) {}

    constexpr TargetRule targets(const Shape&) const { return {TargetRule::Kind::distribution, options.ignore}; }
    constexpr Tensor predict(Tensor z) const { return softmax(z); }
};

/// The scores of rows whose class counts, 0 elsewhere, as `counted_rows`.
constexpr Tensor counted_scores(const Reducing& how, Tensor z, Tensor classes) {
    return how.ignore.given ? where(not_equal_to(as_column(classes), how.ignore.value), z, 0.0) : z;
}
/// Reduces the loss `l`, (…, 1), of each row, of which those count whose class is not ignored.
constexpr Tensor reduced_classes(const Reducing& how, Tensor l, Tensor classes) {
    if (!how.ignore.given) return reduced(how.reduction, l);
    return reduced(how.reduction, l, not_equal_to(as_column(classes), how.ignore.value));
}

}  // namespace detail

SIGMA_OPTIONS(SoftmaxCE, options_are<struct smoothing, struct reduction, struct ignore>)

/// Loss for classification: -log softmax(z)[class] of each row of scores z, (batch, classes), and class numbers
/// (batch), or (batch, time, classes) and (batch, time); by default the mean over all rows that count. With smoothing s
/// and C classes a row's loss is -Σ t·log softmax(z), t = s/C + (1-s)·1[class]. Rows whose class is `ignore` do not
/// count. Predictions are the softmax of the scores.
struct SoftmaxCE : detail::ClassLoss<SoftmaxOptions> {
    using ClassLoss::ClassLoss;
    SIGMA_NO_OTHER(SoftmaxCE);

    /// The same loss with a weight for each class.
    template <class... Weights>
    constexpr WeightedSoftmaxCE<sizeof...(Weights)> weighted(Weights... weights) const {
        return {options, {static_cast<double>(weights)...}};
    }
    template <std::size_t classes>
    constexpr WeightedSoftmaxCE<classes> weighted(std::array<double, classes> weights) const {
        return {options, weights};
    }

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
};

/// SoftmaxCE with a weight w for each class, `SoftmaxCE().weighted(1, 2, 0.5)`: the loss of a row is
/// -Σ w·t·log softmax(z) over the classes, and the mean over elements divides by the sum of w[class] over the rows that
/// count (0 if that is 0), as libtorch does. The mean over the batch divides by the number of records that count.
template <std::size_t classes>
struct WeightedSoftmaxCE : detail::ClassLoss<SoftmaxOptions> {
    std::array<double, classes> weights;

    constexpr WeightedSoftmaxCE(SoftmaxOptions o, std::array<double, classes> w) : ClassLoss(o), weights(w) {}

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
        if (options.ignore.given) {
            const Tensor counted = detail::not_equal_to(detail::as_column(labels), options.ignore.value);
            const Tensor all = sum(detail::weighed(options.reduction, where(counted, l, 0.0)));
            return ratio(all, sum(where(counted, row_weight, 0.0)));
        }
        const Tensor all = sum(detail::weighed(options.reduction, l));
        return ratio(all, sum(row_weight));
    }

private:
    static constexpr Tensor ratio(Tensor total, Tensor weight) {
        const Tensor any = weight > 0.0;
        return where(any, total / where(any, weight, 1.0), 0.0);
    }
    /// The weights as a vector on the tape of `z`.
    constexpr Tensor weights_beside(Tensor z) const {
        const Tensor number = iota_beside(z, static_cast<int>(classes));
        Tensor vector = where(equal(number, 0.0), weights[0], 0.0);
        for (std::size_t i = 1; i < classes; ++i)
            vector = where(equal(number, static_cast<double>(i)), weights[i], vector);
        return vector;
    }
};

SIGMA_OPTIONS(SoftmaxDistributionCE, SoftmaxCE)

/// SoftmaxCE whose targets are distributions over the classes: -Σ q·log softmax(z) of each row, from scores z and
/// targets q of one shape, (batch, classes) or (batch, time, classes); by default the mean over rows. Smoothing s takes
/// (1-s)·q + s/C for q. A row does not count if all of its targets are `ignore`. Predictions are the softmax of z.
struct SoftmaxDistributionCE : detail::DistributionLoss<SoftmaxOptions> {
    using DistributionLoss::DistributionLoss;
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
};

SIGMA_OPTIONS(KLDivergence, Reduction)

/// Loss for distributions: Σ q·(log q - log softmax(z)) over a row, 0·log 0 = 0, from scores z and distributions q of
/// one shape (…, classes); by default the mean over rows. Gradients are those of SoftmaxDistributionCE; the value is 0
/// where the distributions agree. Predictions are the softmax of the scores.
struct KLDivergence : detail::DistributionLoss<ReductionOptions<Reduction::over_elements>> {
    using DistributionLoss::DistributionLoss;
    SIGMA_NO_OTHER(KLDivergence);

    static constexpr Text kind = "kl_divergence";

    constexpr Tensor loss(Tensor z, Tensor targets) const {
        const Tensor q = detail::without_ignored(options, targets);
        const Tensor own = q * log(where(q > 0.0, q, 1.0));
        const Tensor other = detail::chosen(q, log_softmax(detail::counted_rows(options, z, targets)));
        return detail::reduced_rows(options, sum(own - q * other, axis(-1), keep), targets);
    }
};

SIGMA_OPTIONS(NLL, Reduction)

/// Loss from probabilities p rather than scores: -Σ y·log clip(p, epsilon, 1 - epsilon) over a row, by default the mean
/// over rows; p and y of one shape (…, classes). Where it clips, no gradient passes: prefer SoftmaxCE, which takes
/// scores and always learns. (The formula of Neuromatic, where epsilon is 1e-7.)
struct NLL : detail::DistributionLoss<ReductionOptions<Reduction::over_elements>> {
    double epsilon;

    constexpr explicit NLL(double epsilon_ = 1e-7, Options o = {}) : DistributionLoss(o), epsilon(epsilon_) {}
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
};

SIGMA_OPTIONS(MulticlassHinge, Reduction)

/// Loss for classification with a margin (Weston and Watkins 1999): Σ over the wrong classes j of
/// max(0, 1 - z[class] + z[j]) of each row of scores z, with shapes, class numbers and `ignore` as for SoftmaxCE; by
/// default the mean over rows. (libtorch's multi_margin_loss is this divided by the number of classes.) Predictions are
/// the scores.
struct MulticlassHinge : detail::ClassLoss<ReductionOptions<Reduction::over_elements>> {
    using ClassLoss::ClassLoss;
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
};

using SoftMaxCE [[deprecated("write SoftmaxCE")]] = SoftmaxCE;

}  // namespace sigma
