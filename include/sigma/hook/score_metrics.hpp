// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

inline constexpr Fault error_metric_needs_a_loss_that_classifies{"the metric needs a loss that classifies"},
    error_top_is_more_than_the_classes{"top: there are not so many classes"},
    error_network_does_not_answer_yes_or_no{
        "binary: a network answers yes or no by one number for each target, or by two classes"},
    error_network_does_not_predict_numbers{"regression: a network predicts a number for each target"};
inline constexpr Given::Label top_given{"top"}, classes_predicted{"classes"}, loss_of_the_cost{"the loss is"};

namespace detail {

/// How many classes predictions tell apart; 0 for numbers.
constexpr int classes_of(const CostRecord& cost) { return cost.classifies ? cost.prediction.last() : 0; }
/// Is there a prediction for each target?
constexpr bool predicts_targets(const CostRecord& cost) {
    return !cost.classifies && cost.prediction.count() == cost.compared.count();
}
constexpr Refusal misfit_of(bool misfit, const Fault& fault, const CostRecord& cost) {
    if (!misfit) return {};
    return {&fault, {{loss_of_the_cost, cost.kind}}};
}

/// Top-k accuracies, side by side.
struct TopCounts {
    std::vector<Accuracy> each;

    void add(const auto& predictions, const auto& labels) {
        for (Accuracy& a : each) a.add(predictions, labels);
    }
};

/// Right and wrong answers, and the area under the curve.
class BinaryScore {
public:
    /// `classes` is 2 where the second class is yes.
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

/// Distances from numbers to their targets.
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

/// `score(data, top<1, 3>)` computes `value<"top1">` and `value<"top3">`: the share of records whose class is among so
/// many greatest predictions, as metric/metrics.hpp has it. `score<"test">(data, top<1>)`: "test.top1".
template <int... tops>
struct TopMetric {
    static_assert(sizeof...(tops) > 0 && ((tops > 0) && ...), "top-k accuracy is of one class or more");
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
};
template <int... tops>
inline constexpr TopMetric<tops...> top{};

/// Of data whose targets are 0 and 1: `score(data, binary)` computes `value<"binary_accuracy">`, "precision", "recall",
/// "f1" and "auc", those of metric/metrics.hpp.
class BinaryMetric {
public:
    static constexpr std::array<Text, 5> names{"binary_accuracy", "precision", "recall", "f1", "auc"};
    static constexpr std::string_view word = "score_binary";

    /// Yes is predicted from 0.5 on; `binary(0.45)`: from there on.
    constexpr BinaryMetric() = default;
    BinaryMetric operator()(double threshold) const;
    /// `binary(0.4, 0.6)`: yes is predicted above the upper bound, no below the lower one; what is between, or is one
    /// of them, counts as wrong.
    BinaryMetric operator()(double lower, double upper) const;

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

private:
    double lower_ = 0.5, upper_ = 0.5;
    bool bounds_ = false;
};
inline constexpr BinaryMetric binary{};

/// `score(data, regression)` computes `value<"rmse">`, `value<"mae">` and `value<"r2">` of predicted numbers, the last
/// as the mean over the outputs.
struct RegressionMetric {
    static constexpr std::array<Text, 3> names{"rmse", "mae", "r2"};
    static constexpr std::string_view word = "score_regression";

    static constexpr detail::Refusal misfit(const detail::CostRecord& cost) {
        return detail::misfit_of(!detail::predicts_targets(cost), error_network_does_not_predict_numbers, cost);
    }
    static detail::RegressionScore counts(const detail::ScoredCost& at, const auto&, const Dataset&) {
        const Shape& said = at.record.prediction;
        return {static_cast<std::size_t>(said.rank > 1 ? said.last() : 1), at.record.ignored};
    }
    static std::array<double, 3> values(const detail::RegressionScore& counts) {
        return {counts.squared.value(), counts.absolute.value(), counts.explained.value()};
    }
    static std::string arguments() { return ""; }
    static std::string options() { return ""; }
};
inline constexpr RegressionMetric regression{};

}  // namespace sigma

/// Words of hooks that were called otherwise; see core/former_word.hpp.

namespace sigma {

template <int... tops>
    requires(sizeof...(tops) > 0)
[[deprecated("write score(data, top<1, 3>)")]] auto score_top(Dataset data) {
    return score(std::move(data), top<tops...>);
}
template <Text key, int... tops>
    requires(sizeof...(tops) > 0)
[[deprecated("write score<\"test\">(data, top<1, 3>)")]] auto score_top(Dataset data) {
    return score<key>(std::move(data), top<tops...>);
}
template <Text key = "">
[[deprecated("write score(data, regression)")]] auto score_regression(Dataset data) {
    return score<key>(std::move(data), regression);
}
template <Text key = "">
[[deprecated("write score(data, binary)")]] auto score_binary(Dataset data) {
    return score<key>(std::move(data), binary);
}
template <Text key = "", class... Bounds>
[[deprecated("write score(data, binary(0.4))")]] auto score_binary(Dataset data, double bound, Bounds... upper) {
    return score<key>(std::move(data), binary(bound, upper...));
}
struct write_score_of_data_and_a_Confusion;
template <Text key = "">
error_word_is_written_otherwise<write_score_of_data_and_a_Confusion> score_confusion(const Dataset&);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/score_metrics.ipp>
#endif
