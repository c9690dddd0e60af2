// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

#include <array>
#include <cstddef>

namespace sigma {

struct SoftmaxOptions {
    double smoothing = 0;  ///< this share of each target is spread evenly over all classes (Szegedy et al. 2016)
    Reduction reduction = Reduction::over_elements;
    detail::Ignored ignore{};
};
template <std::size_t classes>
struct WeightedSoftmaxCE;

namespace detail {

/// What softmax losses need of their outputs: (batch, classes) or (batch, time, classes).
template <Shape S>
constexpr auto check_classes() {
    if constexpr (S.rank < 2 || S.rank > 3)
        return Mistake<error_SoftmaxCE_needs_rows_of_classes<typename Spelled<S, S.rank>::type>>{};
    else if constexpr (S.last() < 2)
        return Mistake<error_SoftmaxCE_needs_at_least_two_classes<typename Spelled<S, S.rank>::type>>{};
    else return Mistake<>{};
}
constexpr auto check_smoothing(auto self) {
    constexpr double smoothing = self().options.smoothing;
    return MistakeIf<!(smoothing >= 0 && smoothing < 1), error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1<
                                                             in_thousandths<thousandths(smoothing)>>>{};
}

/// What losses over class numbers have in common: (batch, …, classes) against (batch, …).
struct ClassLoss : Loss {
    static constexpr bool classifies = true;
    static constexpr bool reduces_records = true;
    static constexpr bool predicts_probabilities = true;

    template <Shape S>
    static constexpr auto check_output() {
        return check_classes<S>();
    }
    static constexpr Shape target(auto, const Shape& output) { return output.without(output.rank - 1); }
    static constexpr LabelRange labels(auto self, const Shape& output) {
        return {0, output.last(), self().options.ignore};
    }
    /// The share of the rows that count whose class has the greatest score; 0 where none counts.
    static constexpr auto accuracy(auto self, auto z, auto y) {
        const auto right = equal(argmax<-1>(z), y);
        if constexpr (self().options.ignore.given)
            return reduced<Reduction::over_elements>(right, not_equal_to(y, self().options.ignore.value));
        else return mean(right);
    }
};

/// What losses have in common whose targets are a distribution in each row.
struct DistributionLoss : RowLoss {
    static constexpr TargetRule targets(auto self, const Shape&) {
        return {TargetRule::Kind::distribution, self().options.ignore};
    }
};

/// A shape with one more axis, of extent 1.
constexpr Shape column_of(Shape s) {
    s.extent[s.rank++] = 1;
    return s;
}
template <Shape S>
constexpr auto as_column(Tensor<S> x) {
    return tensor<column_of(S)>(sigma::reshape(x.variable, column_of(S)));
}
/// The scores of rows whose class counts, 0 elsewhere, as `counted_rows`.
template <auto options, Shape Z, Shape S>
constexpr auto counted_scores(Tensor<Z> z, Tensor<S> classes) {
    if constexpr (options.ignore.given) return where(not_equal_to(as_column(classes), options.ignore.value), z, 0.0);
    else return z;
}
/// Reduces the loss `l`, (…, 1), of each row, of which those count whose class is not ignored.
template <auto options, Shape L, Shape S>
constexpr auto reduced_classes(Tensor<L> l, Tensor<S> classes) {
    if constexpr (options.ignore.given)
        return reduced<options.reduction>(l, not_equal_to(as_column(classes), options.ignore.value));
    else return reduced<options.reduction>(l);
}

}  // namespace detail

SIGMA_OPTIONS(SoftmaxCE, options_are<struct smoothing, struct reduction, struct ignore>)

/// Loss for classification: -log softmax(z)[class] of each row of scores z, (batch, classes), and class numbers
/// (batch), or (batch, time, classes) and (batch, time); by default the mean over all rows that count. With smoothing s
/// and C classes a row's loss is -Σ t·log softmax(z), t = s/C + (1-s)·1[class]. Rows whose class is `ignore` do not
/// count. Predictions are the softmax of the scores.
struct SoftmaxCE : detail::ClassLoss {
    using Options = SoftmaxOptions;
    Options options;

    constexpr explicit SoftmaxCE(Options o = {}) : options(o) {}
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

    static constexpr auto check(auto self) { return detail::check_smoothing(self); }
    static constexpr auto loss(auto self, auto scores, auto classes) {
        constexpr Options options = self().options;
        constexpr double even = options.smoothing / scores.shape.last();
        const auto z = detail::counted_scores<options>(scores, classes);
        const auto shifted = z - stop_gradient(max(z, axis<-1>, keep));
        const auto chosen = sum(where(one_hot<z.shape.last()>(classes), shifted, 0.0), axis<-1>, keep);
        const auto log_sum = log(sum(exp(shifted), axis<-1>, keep));
        const auto l = [&] {
            if constexpr (even == 0) return log_sum - chosen;
            else {
                const auto of_class = (1 - options.smoothing) * chosen;
                const auto without_rest = log_sum - of_class;
                const auto rest = even * sum(shifted, axis<-1>, keep);
                return without_rest - rest;
            }
        }();
        return detail::reduced_classes<options>(l, classes);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

/// SoftmaxCE with a weight w for each class, `SoftmaxCE().weighted(1, 2, 0.5)`: the loss of a row is
/// -Σ w·t·log softmax(z) over the classes, and the mean over elements divides by the sum of w[class] over the rows that
/// count (0 if that is 0), as libtorch does. The mean over the batch divides by the number of records that count.
template <std::size_t classes>
struct WeightedSoftmaxCE : detail::ClassLoss {
    using Options = SoftmaxOptions;
    Options options;
    std::array<double, classes> weights;

    constexpr WeightedSoftmaxCE(Options o, std::array<double, classes> w) : options(o), weights(w) {}

    static constexpr Text kind = "softmax_ce";

    static constexpr auto check(auto self) {
        constexpr int negative = [] {
            constexpr auto given = decltype(self){}().weights;
            for (std::size_t i = 0; i < classes; ++i)
                if (!(given[i] >= 0)) return static_cast<int>(i);
            return -1;
        }();
        if constexpr (negative >= 0)
            return Mistake<error_class_weights_must_not_be_negative<weight_number<negative>>>{};
        else return detail::check_smoothing(self);
    }
    template <Shape S>
    static constexpr auto check_output() {
        using Classes = decltype(detail::check_classes<S>());
        if constexpr (!std::is_void_v<typename Classes::mistake>) return Classes{};
        else if constexpr (S.last() != static_cast<int>(classes))
            return Mistake<error_class_weights_do_not_fit_the_classes<weights_given<static_cast<int>(classes)>,
                                                                      classes_are<S.last()>>>{};
        else return Mistake<>{};
    }

    static constexpr auto loss(auto self, auto scores, auto labels) {
        constexpr Options options = self().options;
        constexpr double even = options.smoothing / scores.shape.last();
        const auto z = detail::counted_scores<options>(scores, labels);
        constexpr bool over_elements = detail::plain(options.reduction) == Reduction::over_elements;
        const auto minus_log = -log_softmax(z);
        const auto hot = one_hot<z.shape.last()>(labels);
        const auto w = weights_beside(self, z);
        const auto row_weight = sum(where(hot, w, 0.0), axis<-1>, keep);
        const auto weighed = w * detail::chosen(w, minus_log);
        const auto l = [&] {
            const auto of_class = (1 - options.smoothing) * sum(where(hot, weighed, 0.0), axis<-1>, keep);
            if constexpr (even == 0) return of_class;
            else {
                const auto spread = even * sum(weighed, axis<-1>, keep);
                return of_class + spread;
            }
        }();
        if constexpr (options.ignore.given) {
            const auto counted = detail::not_equal_to(detail::as_column(labels), options.ignore.value);
            if constexpr (over_elements) {
                const auto finish = [counted, row_weight](auto each) {
                    const auto all = sum(each);
                    return ratio(all, sum(where(counted, row_weight, 0.0)));
                };
                return detail::finished<options.reduction>(where(counted, l, 0.0), finish);
            } else return detail::reduced<options.reduction>(l, counted);
        } else if constexpr (over_elements) {
            const auto finish = [row_weight](auto each) {
                const auto all = sum(each);
                return ratio(all, sum(row_weight));
            };
            return detail::finished<options.reduction>(l, finish);
        } else return detail::reduced<options.reduction>(l);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }

private:
    static constexpr auto ratio(auto total, auto weight) {
        const auto any = weight > 0.0;
        return where(any, total / where(any, weight, 1.0), 0.0);
    }
    /// The weights as a vector on the tape of `z`.
    template <Shape S>
    static constexpr auto weights_beside(auto self, Tensor<S> z) {
        constexpr auto w = self().weights;
        const auto number = iota_beside<static_cast<int>(classes)>(z);
        auto vector = where(equal(number, 0.0), w[0], 0.0);
        for (std::size_t i = 1; i < classes; ++i) vector = where(equal(number, static_cast<double>(i)), w[i], vector);
        return vector;
    }
};

SIGMA_OPTIONS(SoftmaxDistributionCE, SoftmaxCE)

/// SoftmaxCE whose targets are distributions over the classes: -Σ q·log softmax(z) of each row, from scores z and
/// targets q of one shape, (batch, classes) or (batch, time, classes); by default the mean over rows. Smoothing s takes
/// (1-s)·q + s/C for q. A row does not count if all of its targets are `ignore`. Predictions are the softmax of z.
struct SoftmaxDistributionCE : detail::DistributionLoss {
    using Options = SoftmaxOptions;
    Options options;

    constexpr explicit SoftmaxDistributionCE(Options o = {}) : options(o) {}
    SIGMA_NO_OTHER(SoftmaxDistributionCE);

    static constexpr Text kind = "softmax_distribution_ce";

    static constexpr auto check(auto self) { return detail::check_smoothing(self); }
    template <Shape S>
    static constexpr auto check_output() {
        return detail::check_classes<S>();
    }
    static constexpr auto loss(auto self, auto z, auto targets) {
        constexpr double smoothing = self().options.smoothing;
        const auto q = detail::without_ignored<self().options>(targets);
        const auto t = [&] {
            if constexpr (smoothing == 0) return q;
            else return (1 - smoothing) * q + smoothing / z.shape.last();
        }();
        const auto l = detail::chosen(t, log_softmax(detail::counted_rows<self().options>(z, targets)));
        return detail::reduced_rows<self().options>(-sum(t * l, axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

SIGMA_OPTIONS(KLDivergence, Reduction)

/// Loss for distributions: Σ q·(log q - log softmax(z)) over a row, 0·log 0 = 0, from scores z and distributions q of
/// one shape (…, classes); by default the mean over rows. Gradients are those of SoftmaxDistributionCE; the value is 0
/// where the distributions agree. Predictions are the softmax of the scores.
struct KLDivergence : detail::DistributionLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit KLDivergence(Options o = {}) : options(o) {}
    SIGMA_NO_OTHER(KLDivergence);

    static constexpr Text kind = "kl_divergence";

    static constexpr auto loss(auto self, auto z, auto targets) {
        const auto q = detail::without_ignored<self().options>(targets);
        const auto own = q * log(where(q > 0.0, q, 1.0));
        const auto other = detail::chosen(q, log_softmax(detail::counted_rows<self().options>(z, targets)));
        return detail::reduced_rows<self().options>(sum(own - q * other, axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

SIGMA_OPTIONS(NLL, Reduction)

/// Loss from probabilities p rather than scores: -Σ y·log clip(p, epsilon, 1 - epsilon) over a row, by default the mean
/// over rows; p and y of one shape (…, classes). Where it clips, no gradient passes: prefer SoftmaxCE, which takes
/// scores and always learns. (The formula of Neuromatic, where epsilon is 1e-7.)
struct NLL : detail::DistributionLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    double epsilon;
    Options options;

    constexpr explicit NLL(double epsilon_ = 1e-7, Options o = {}) : epsilon(epsilon_), options(o) {}
    SIGMA_NO_OTHER(NLL, double);

    static constexpr Text kind = "nll";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().epsilon > 0 && self().epsilon < 0.5),
                         error_NLL_epsilon_must_be_above_0_and_below_one_half<
                             in_thousandths<detail::thousandths(self().epsilon)>>>{};
    }
    static constexpr auto loss(auto self, auto p, auto targets) {
        const auto y = detail::without_ignored<self().options>(targets);
        const auto given = detail::counted_rows<self().options>(p, targets);
        const auto clipped = min(max(given, self().epsilon), 1.0 - self().epsilon);
        return detail::reduced_rows<self().options>(-sum(y * log(clipped), axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto p) { return p; }
};

SIGMA_OPTIONS(MulticlassHinge, Reduction)

/// Loss for classification with a margin (Weston and Watkins 1999): Σ over the wrong classes j of
/// max(0, 1 - z[class] + z[j]) of each row of scores z, with shapes, class numbers and `ignore` as for SoftmaxCE; by
/// default the mean over rows. (libtorch's multi_margin_loss is this divided by the number of classes.) Predictions are
/// the scores.
struct MulticlassHinge : detail::ClassLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit MulticlassHinge(Options o = {}) : options(o) {}
    SIGMA_NO_OTHER(MulticlassHinge);

    static constexpr Text kind = "multiclass_hinge";
    static constexpr bool predicts_probabilities = false;

    static constexpr auto loss(auto self, auto scores, auto classes) {
        constexpr Options options = self().options;
        const auto z = detail::counted_scores<options>(scores, classes);
        const auto hot = one_hot<z.shape.last()>(classes);
        const auto chosen = sum(where(hot, z, 0.0), axis<-1>, keep);
        const auto l = sum(where(hot, 0.0, max(1.0 - chosen + z, 0.0)), axis<-1>, keep);
        return detail::reduced_classes<options>(l, classes);
    }
    static constexpr auto predict(auto, auto z) { return z; }
};

}  // namespace sigma
