// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/scored.hpp>
#include <sigma/metric/mean_absolute_error.hpp>
#include <sigma/metric/r2.hpp>
#include <sigma/metric/root_mean_squared_error.hpp>

namespace sigma {

/// A network predicts no number for each target.
template <class Network>
struct error_network_does_not_predict_numbers;

/// Computes how far predicted numbers are from their targets.
template <Text key>
class ScoreRegression : public Action<ScoreRegression<key>> {
    template <Text name>
    using Value = Computed<detail::score_name(key, name.view())>;

public:
    using Writes = Types<Value<"rmse">, Value<"mae">, Value<"r2">>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreRegression(Dataset data) : data_(std::move(data)) {}
    template <class M, class>
    static constexpr auto check() {
        using N = detail::NetworkOfModel<M>;
        if constexpr (!detail::has_one_prediction<N>) return detail::NotOnePrediction<N>{};
        else if constexpr (detail::classifies<N> || detail::numbers_predicted<N> != detail::numbers_wanted<N>)
            return Mistake<error_network_does_not_predict_numbers<N>>{};
        else return Mistake<>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        using N = detail::NetworkOfModel<decltype(model)>;
        RootMeanSquaredError squared;
        MeanAbsoluteError absolute;
        R2 explained(static_cast<std::size_t>(N::predictions[0].rank > 1 ? N::predictions[0].last() : 1));
        data_.in(context).predict(model, [&](auto predictions, auto targets) {
            squared.add(predictions, targets);
            absolute.add(predictions, targets);
            explained.add(predictions, targets);
        });
        context.template publish<Value<"rmse">>(squared.value());
        context.template publish<Value<"mae">>(absolute.value());
        context.template publish<Value<"r2">>(explained.value());
    }
    std::string text() const { return detail::score_text("score_regression", key, data_.data()); }

private:
    detail::EvaluatedData data_;
};

/// Computes `value<"rmse">`, `value<"mae">` and `value<"r2">` of the predictions for a data set, the last as the mean
/// over the outputs; `score_regression<"test">(data)` "test.rmse" and so on.
template <Text key = "">
ScoreRegression<key> score_regression(Dataset data) {
    return ScoreRegression<key>(std::move(data));
}

}  // namespace sigma
