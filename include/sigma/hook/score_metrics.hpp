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

/// There are not so many classes.
template <int top, int classes>
struct error_top_is_more_than_the_classes;
/// A network answers yes or no by one number for each target, or by two classes.
template <class Network>
struct error_network_does_not_answer_yes_or_no;
/// A network predicts no number for each target.
template <class Network>
struct error_network_does_not_predict_numbers;

namespace detail {

/// Of a ScoredCost: does its loss know right from wrong?
template <class C>
inline constexpr bool cost_classifies = C::cost.classifies;
/// How many classes predictions tell apart; 0 for numbers.
template <class C>
inline constexpr int classes_predicted = cost_classifies<C> ? C::predictions[0].last() : 0;
/// Is there a prediction for each target?
template <class C>
inline constexpr bool predicts_targets = !cost_classifies<C> && C::predictions[0].count() == C::targets[0].count();

/// The targets that do not count, as the loss has it.
template <class C>
constexpr Ignored ignored_labels() {
    return C::cost.has_labels ? C::cost.labels.ignore : Ignored{};
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
    BinaryScore(int classes, double lower, double upper, bool bounds);
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
    RootMeanSquaredError squared{};
    MeanAbsoluteError absolute{};
    R2 explained;

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

    template <class C>
    static constexpr auto check() {
        constexpr int greatest = [] {
            int most = 0;
            ((most = tops > most ? tops : most), ...);
            return most;
        }();
        if constexpr (!detail::cost_classifies<C>) return Mistake<error_network_does_not_classify<C>>{};
        else if constexpr (greatest > C::predictions[0].last())
            return Mistake<error_top_is_more_than_the_classes<greatest, C::predictions[0].last()>>{};
        else return Mistake<>{};
    }
    template <class C, class N, class T>
    static detail::TopCounts counts(const Model<N, T>&, const Dataset&) {
        constexpr auto classes = static_cast<std::size_t>(C::predictions[0].last());
        return {{Accuracy(classes, {tops, detail::ignored_labels<C>()})...}};
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
/// "f1" and "auc", those of metric/binary_counts.hpp and metric/auc.hpp.
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

    template <class C>
    static constexpr auto check() {
        if constexpr (detail::classes_predicted<C> != 2 && !detail::predicts_targets<C>)
            return Mistake<error_network_does_not_answer_yes_or_no<C>>{};
        else return Mistake<>{};
    }
    template <class C, class N, class T>
    detail::BinaryScore counts(const Model<N, T>&, const Dataset&) const {
        return {detail::classes_predicted<C>, lower_, upper_, bounds_};
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

    template <class C>
    static constexpr auto check() {
        if constexpr (!detail::predicts_targets<C>) return Mistake<error_network_does_not_predict_numbers<C>>{};
        else return Mistake<>{};
    }
    template <class C, class N, class T>
    static detail::RegressionScore counts(const Model<N, T>&, const Dataset&) {
        return {.explained = R2(static_cast<std::size_t>(C::predictions[0].rank > 1 ? C::predictions[0].last() : 1))};
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
