// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Metrics of the action `score`: `top`, `binary`, `regression`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/array.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

/// A mistake: the metric needs a loss that classifies, such as SoftmaxCE.
inline constexpr Fault error_metric_needs_a_loss_that_classifies{"the metric needs a loss that classifies"},
    /// A mistake: `top<k>` has a k that is more than the number of classes.
    error_top_is_more_than_the_classes{"top: k is more than the number of classes"},
    /// A mistake: `binary` needs one number for each target, or two classes.
    error_network_does_not_answer_yes_or_no{
        "binary: the network must predict one number for each target, or two classes"},
    /// A mistake: `regression` needs one predicted number for each target.
    error_network_does_not_predict_numbers{"regression: the network must predict one number for each target"};
inline constexpr Given::Label top_given{"top"}, classes_predicted{"classes"}, loss_of_the_cost{"the loss is"};

namespace detail {

/// Returns the number of classes that predictions distinguish; 0 for numbers.
constexpr int classes_of(const CostRecord& cost) { return cost.classifies ? cost.prediction.last() : 0; }
/// Returns whether there is one predicted number for each target.
constexpr bool predicts_targets(const CostRecord& cost) {
    return !cost.classifies && cost.prediction.count() == cost.compared.count();
}
constexpr Refusal misfit_of(bool misfit, const Fault& fault, const CostRecord& cost) {
    if (!misfit) return {};
    return {&fault, {{loss_of_the_cost, cost.kind}}};
}

/// Counts of several top-k accuracies.
struct TopCounts {
    std::vector<Accuracy> each;

    void add(const auto& predictions, const auto& labels) {
        for (Accuracy& a : each) a.add(predictions, labels);
    }
};

/// Counts of right and wrong answers, and the area under the curve.
class BinaryScore {
public:
    /// Constructs counts of nothing. If `classes` is 2, the second class is yes.
    BinaryScore(int classes, double lower, double upper, bool bounds, Ignored ignore);
    template <class T>
    void add(std::span<const T> predictions, std::span<const T> targets) {
        add(std::vector<double>(predictions.begin(), predictions.end()),
            std::vector<double>(targets.begin(), targets.end()));
    }
    std::array<double, 5> values() const;

private:
    std::size_t step_;
    double lower_, upper_;
    bool bounds_;
    BinaryCounts counts_;
    AUC area_;

    void add(const std::vector<double>& predictions, const std::vector<double>& targets);
};

/// Sums of distances between predicted numbers and targets.
struct RegressionScore {
    RootMeanSquaredError squared;
    MeanAbsoluteError absolute;
    R2 explained;

    RegressionScore(std::size_t outputs, Ignored ignore)
        : squared(ignore), absolute(ignore), explained(outputs, ignore) {}
    void add(const auto& predictions, const auto& targets) {
        squared.add(predictions, targets);
        absolute.add(predictions, targets);
        explained.add(predictions, targets);
    }
};

}  // namespace detail

/// The type of `top<…>`: shares of records with a target among the k highest predictions.
///
/// @tparam tops  numbers k, 1 or more each
///
/// @see top
template <int... tops>
struct TopMetric {
    static_assert(sizeof...(tops) > 0 && ((tops > 0) && ...), "top: each k must be 1 or more");
    /// @cond internal
    static constexpr std::array<Text, sizeof...(tops)> names{Text("top").append(tops)...};
    static constexpr std::string_view word = "score_top";

    static constexpr detail::Refusal misfit(const detail::CostRecord& cost) {
        int greatest = 0;
        ((greatest = tops > greatest ? tops : greatest), ...);
        if (cost.classifies && greatest > cost.prediction.last())
            return {&error_top_is_more_than_the_classes,
                    {{top_given, greatest}, {classes_predicted, cost.prediction.last()}}};
        return detail::misfit_of(!cost.classifies, error_metric_needs_a_loss_that_classifies, cost);
    }
    static detail::TopCounts counts(const detail::ScoredCost& at, const auto&, const Dataset&) {
        const auto classes = static_cast<std::size_t>(at.record.prediction.last());
        return {{Accuracy(classes, {tops, at.record.ignored})...}};
    }
    static std::array<double, sizeof...(tops)> values(const detail::TopCounts& counts) {
        std::array<double, sizeof...(tops)> all{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = counts.each[i].value();
        return all;
    }
    static std::string arguments() {
        const std::string all = sentence(sentence(tops, ", ")...);
        return all.substr(0, all.size() - 2);
    }
    static std::string options() { return ""; }
    /// @endcond
};
/// A metric of `score`: the share of records with a target among the k highest predictions, for each k.
///
/// `score(data, top<1, 3>)` computes `value<"top1">` and `value<"top3">`. It does not compile for a network without a
/// loss that classifies, or if k is more than the number of classes.
///
/// @tparam tops  numbers k, 1 or more each
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing, top<1, 3>), report(value<"top1">, value<"top3">)));
/// @endcode
///
/// @see score, Accuracy
template <int... tops>
inline constexpr TopMetric<tops...> top{};

/// The type of `binary`: counts of right and wrong yes/no predictions.
///
/// @see binary
class BinaryMetric {
public:
    /// @cond internal
    static constexpr std::array<Text, 5> names{"binary_accuracy", "precision", "recall", "f1", "auc"};
    static constexpr std::string_view word = "score_binary";
    /// @endcond

    /// Constructs the metric with the threshold 0.5.
    constexpr BinaryMetric() = default;
    /// Returns the metric with another threshold: `binary(0.45)`.
    /// @param threshold  smallest prediction that means yes (0.5 without this call)
    /// @return the metric, for `score`
    /// @throws ArgumentError  if `threshold` is NaN
    BinaryMetric operator()(double threshold) const;
    /// Returns the metric with two bounds: `binary(0.4, 0.6)`.
    ///
    /// A prediction above `upper` means yes, below `lower` no. A prediction from `lower` to `upper` counts as wrong.
    /// @param lower  lower bound
    /// @param upper  upper bound, at least `lower`
    /// @return the metric, for `score`
    /// @throws ArgumentError  if a bound is NaN or `lower` is more than `upper`
    BinaryMetric operator()(double lower, double upper) const;

    /// @cond internal
    static constexpr detail::Refusal misfit(const detail::CostRecord& cost) {
        return detail::misfit_of(detail::classes_of(cost) != 2 && !detail::predicts_targets(cost),
                                 error_network_does_not_answer_yes_or_no, cost);
    }
    detail::BinaryScore counts(const detail::ScoredCost& at, const auto&, const Dataset&) const {
        return {detail::classes_of(at.record), lower_, upper_, bounds_, at.record.ignored};
    }
    static std::array<double, 5> values(const detail::BinaryScore& counts) { return counts.values(); }
    static std::string arguments() { return ""; }
    std::string options() const;
    /// @endcond

private:
    double lower_ = 0.5, upper_ = 0.5;
    bool bounds_ = false;
};
/// A metric of `score` for targets of 0 and 1: accuracy, precision, recall, F1 and area under the curve.
///
/// `score(data, binary)` computes `value<"binary_accuracy">`, `value<"precision">`, `value<"recall">`, `value<"f1">`
/// and `value<"auc">`. A prediction of 0.5 or more means yes. `binary(threshold)` and `binary(lower, upper)` change
/// that. It does not compile for a network that predicts neither one number for each target nor two classes.
///
/// @par Example
/// @code
/// struct Spam : Network<Input(57) + Dense(1) + BinaryCE()> {};
/// const Dataset mails = make_dataset(Array<float>::from_shape({9, 57}), Array<float>::from_shape({9, 1}));
/// Trainer filter("spam", Spam{}, Adam{}, minibatches(mails, 3));
/// filter.add(every(1, epoch).then(score(mails, binary(0.4)), report(value<"f1">, value<"auc">)));
/// @endcode
///
/// @see score, BinaryCounts, AUC
inline constexpr BinaryMetric binary{};

/// The type of `regression`: errors of predicted numbers.
///
/// @see regression
struct RegressionMetric {
    /// @cond internal
    static constexpr std::array<Text, 3> names{"rmse", "mae", "r2"};
    static constexpr std::string_view word = "score_regression";

    static constexpr detail::Refusal misfit(const detail::CostRecord& cost) {
        return detail::misfit_of(!detail::predicts_targets(cost), error_network_does_not_predict_numbers, cost);
    }
    static detail::RegressionScore counts(const detail::ScoredCost& at, const auto&, const Dataset&) {
        const Shape& shape = at.record.prediction;
        return {static_cast<std::size_t>(shape.rank > 1 ? shape.last() : 1), at.record.ignored};
    }
    static std::array<double, 3> values(const detail::RegressionScore& counts) {
        return {counts.squared.value(), counts.absolute.value(), counts.explained.value()};
    }
    static std::string arguments() { return ""; }
    static std::string options() { return ""; }
    /// @endcond
};
/// A metric of `score` for regression targets: root mean squared error, mean absolute error and R².
///
/// `score(data, regression)` computes `value<"rmse">`, `value<"mae">` and `value<"r2">`, the last as the mean over the
/// outputs. It does not compile for a network that does not predict one number for each target.
///
/// @par Example
/// @code
/// struct Line : Network<Input(1) + Dense(1) + SquaredDiff()> {};
/// const Dataset points = make_dataset(Array<float>::from_shape({9, 1}), Array<float>::from_shape({9, 1}));
/// Trainer fitting("line", Line{}, Adam{}, minibatches(points, 3));
/// fitting.add(every(1, epoch).then(score(points, regression), report(value<"rmse">, value<"r2">)));
/// @endcode
///
/// @see score, RootMeanSquaredError, MeanAbsoluteError, R2
inline constexpr RegressionMetric regression{};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/score_metrics.ipp>
#endif
