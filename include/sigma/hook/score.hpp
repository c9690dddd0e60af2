// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The action `score`: accuracy, loss and metrics of a data set. Included by `<sigma/sigma.hpp>`.
#include <sigma/execution/evaluator.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/network/use_mistakes.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A mistake at compile time: a hook reads `accuracy`, but no loss of the network classifies or predicts yes or no.
template <class Network>
struct error_network_does_not_classify;
/// The number of costs of a network, in an error of the compiler.
///
/// @see error_metric_needs_the_name_of_a_cost
template <int>
struct costs_of_the_network;
/// A mistake at compile time: the network has several costs, and a metric does not name one. Write `score(data,
/// of_cost<"price">(regression))`.
///
/// @see of_cost
template <class Costs>
struct error_metric_needs_the_name_of_a_cost;

namespace detail {

[[noreturn, gnu::cold]] void throw_no_cost_named(const NetworkTable& network);

template <class M>
struct NetworkIn;
template <class N, class T>
struct NetworkIn<Model<N, T>> {
    using type = N;
};
template <class M>
using NetworkOfModel = typename NetworkIn<std::remove_cvref_t<M>>::type;

/// The cost of a network that a metric evaluates.
struct ScoredCost {
    int number;
    const CostRecord& record;
};
/// Returns the number of the cost that a metric evaluates: 0, or that of the metric's name; -1 if there is no such
/// cost.
template <class Metric>
constexpr int scored_cost(const NetworkTable& network) {
    if constexpr (requires { Metric::cost_name; }) return network.find_cost(Metric::cost_name.view());
    else return network.costs.size() == 1 ? 0 : -1;
}
/// The mistake of a metric at a cost of a network.
template <class N, class Metric>
struct MetricMisfit {
    static constexpr Refusal refusal = Metric::misfit(network_table<N>.costs[scored_cost<Metric>(network_table<N>)]);
};
template <class N, class Metric>
consteval auto check_metric() {
    if constexpr (MadeNetwork<N>) {
        return Mistake<>{};  // cost_of checks this at run time
    } else if constexpr (scored_cost<Metric>(network_table<N>) >= 0) {
        if constexpr (MetricMisfit<N, Metric>::refusal)
            return Mistake<typename SpelledRefusal<MetricMisfit<N, Metric>>::type>{};
        else return Mistake<>{};
    } else if constexpr (requires { Metric::cost_name; }) {
        return Mistake<
            typename NoCost<Metric::cost_name, nearest_name(network_table<N>.costs, Metric::cost_name.view())>::type>{};
    } else {
        return Mistake<error_metric_needs_the_name_of_a_cost<costs_of_the_network<N::cost_count>>>{};
    }
}
/// Returns the cost that a metric evaluates. Throws ArgumentError or MistakeError if they do not fit, for networks that
/// the compiler cannot check.
template <class Metric>
ScoredCost cost_of(const NetworkTable& network) {
    int i = 0;
    if constexpr (requires { Metric::cost_name; }) i = cost_at(network, Metric::cost_name.view());
    else if (network.costs.size() != 1) throw_no_cost_named(network);
    const Refusal refusal = Metric::misfit(network.costs[i]);
    if (refusal) throw_mistake(refusal, network.costs[i].name);
    return {i, network.costs[i]};
}

/// Returns "accuracy", or "test.accuracy" with a key.
constexpr Text score_name(Text key, std::string_view what) {
    if (key.size > 0) key.append(".");
    return key.append(what);
}
/// Returns the action as text: "score(iris)", "score<"test">(iris)", "score_top<"test", 1, 3>(iris)". Checkpoints
/// contain it. `more` are further template arguments, `options` follows the data.
std::string score_text(std::string_view what, const Text& key, const Dataset& data, const std::string& more = "",
                       const std::string& options = "");

/// The values that a metric computes under a key.
template <Text key, class M, class = std::make_index_sequence<M::names.size()>>
struct MetricValues;
template <Text key, class M, std::size_t... i>
struct MetricValues<key, M, std::index_sequence<i...>> {
    using type = Types<Computed<score_name(key, M::names[i].view())>...>;
    static void publish(const auto& context, const std::array<double, sizeof...(i)>& values) {
        (context.template publish<Computed<score_name(key, M::names[i].view())>>(values[i]), ...);
    }
};

}  // namespace detail

/// A metric of `score`: `top<1, 3>`, `binary`, `regression` or a Confusion.
///
/// A metric counts, `metric.counts(cost, model, data)`, for a cost that its `misfit` accepts. `values(counts)` returns
/// the numbers that `names` lists.
///
/// @see score
template <class M>
concept AnyMetric = requires {
    { M::names.size() } -> std::convertible_to<std::size_t>;
    M::word;
};

namespace detail {

/// Returns a tuple with the values of each metric, an array in the order of its names.
template <class M, AnyMetric... Metrics>
auto values_of_metrics(auto& evaluator, const M& model, const Dataset& data, const Metrics&... metric) {
    const std::array<int, sizeof...(Metrics)> costs{scored_cost<Metrics>(model.network())...};
    std::tuple counts{metric.counts(cost_of<Metrics>(model.network()), model, data)...};
    return std::apply(
        [&](auto&... count) {
            evaluator.predict(model, [&](int cost, auto predictions, auto targets) {
                std::size_t i = 0;
                ((cost == costs[i++] ? count.add(predictions, targets) : void()), ...);
            });
            return std::tuple{metric.values(count)...};
        },
        counts);
}

}  // namespace detail

/// Values of metrics by their names: the result of `evaluate(data, regression)`.
///
/// @see Trainer, regression, binary, top
class MetricScores {
public:
    /// @cond internal
    explicit MetricScores(std::vector<std::pair<std::string, double>> values) : values_(std::move(values)) {}
    /// @endcond
    /// Returns the value of a metric.
    /// @param name  name of the value, such as "rmse"
    /// @throws ArgumentError  if there is no value of this name
    double operator[](std::string_view name) const;
    /// Returns the names and values.
    const std::vector<std::pair<std::string, double>>& values() const& { return values_; }
    /// @copydoc values
    std::vector<std::pair<std::string, double>> values() && { return std::move(values_); }

private:
    std::vector<std::pair<std::string, double>> values_;
};

namespace detail {

/// The metrics of `evaluate(data, metric…)` of a trained network.
template <class N, class T, class... M>
struct MetricEvaluation {
    using Check = FirstMistake<decltype(check_metric<N, M>())...>;
    using Result =
        typename TypeOrMistake<std::conditional_t<is_fine<Check>, std::type_identity<MetricScores>, Check>>::type;
    static MetricScores run(const Model<N, T>& model, const Dataset& data, const M&... metric) {
        Evaluator<N, T> evaluator(model.network(), data);
        std::vector<std::pair<std::string, double>> all;
        model.at_rest([&](const Model<N, T>& now) {
            const auto append = [&](const auto& names, const auto& of) {
                for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i].view(), of[i]);
            };
            std::apply([&](const auto&... of) { (append(M::names, of), ...); },
                       values_of_metrics(evaluator, now, data, metric...));
        });
        return MetricScores(std::move(all));
    }
};

}  // namespace detail

/// The action of `score` with metrics.
///
/// @tparam key      text before the names of the values; empty: none
/// @tparam Metrics  types of the metrics
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @see score
template <Text key, AnyMetric... Metrics>
class ScoreData : public Action<ScoreData<key, Metrics...>> {
public:
    /// @cond internal
    using Writes = detail::JoinedTypes<typename detail::MetricValues<key, Metrics>::type...>;
    static constexpr Needs needs = Needs::parameters;
    /// @endcond

    /// Constructs the action. `score` does that for you.
    /// @param data     data set to evaluate
    /// @param metrics  metrics to compute
    explicit ScoreData(Dataset data, Metrics... metrics) : data_(std::move(data)), metrics_(std::move(metrics)...) {}
    /// @cond internal
    template <class M, class>
    static constexpr auto examine() {
        return detail::FirstMistake<decltype(detail::check_metric<detail::NetworkOfModel<M>, Metrics>())...>{};
    }
    void run(auto& context) {
        std::apply(
            [&](const auto&... metric) {
                const auto all = detail::values_of_metrics(data_.in(context), context.model(), data_.data(), metric...);
                std::apply(
                    [&](const auto&... values) { (detail::MetricValues<key, Metrics>::publish(context, values), ...); },
                    all);
            },
            metrics_);
    }
    void restart(auto& context) const { (detail::cost_of<Metrics>(context.model().network()), ...); }
    std::string text() const {
        std::string all;
        std::apply(
            [&](const auto&... metric) {
                ((all += (all.empty() ? "" : " and ") +
                         detail::score_text(metric.word, key, data_.data(), metric.arguments(), metric.options())),
                 ...);
            },
            metrics_);
        return all;
    }
    /// @endcond

private:
    detail::EvaluatedData data_;
    std::tuple<Metrics...> metrics_;
};

/// The action of `score` without metrics: mean loss, and share of correctly classified records.
///
/// @tparam key  text before the names of the values; empty: `accuracy` and `validation_error`
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @see score
template <Text key>
class ScoreData<key> : public Action<ScoreData<key>> {
public:
    /// @cond internal
    using AccuracyValue = Computed<detail::score_name(key, "accuracy")>;
    using ErrorValue = Computed<key.size == 0 ? Text("validation_error") : detail::score_name(key, "error")>;
    using Writes = Types<AccuracyValue, ErrorValue>;
    static constexpr Needs needs = Needs::parameters;
    /// @endcond

    /// Constructs the action. `score` does that for you.
    /// @param data  data set to evaluate
    explicit ScoreData(Dataset data) : data_(std::move(data)) {}
    /// @cond internal
    template <class M, class ReadByHooks>
    static constexpr auto examine() {
        return MistakeIf<(ReadByHooks::template has<AccuracyValue> && !detail::classifies<detail::NetworkOfModel<M>>),
                         error_network_does_not_classify<detail::NetworkOfModel<M>>>{};
    }
    void run(auto& context) {
        const auto score = data_.in(context)(context.model());
        context.template publish<AccuracyValue>(score.accuracy);
        context.template publish<ErrorValue>(score.error);
    }
    std::string text() const { return detail::score_text("score", key, data_.data()); }
    /// @endcond

private:
    detail::EvaluatedData data_;
};

/// The type of `of_cost<name>(metric)`: a metric of one cost of a network with several.
///
/// @tparam cost  name of the cost
/// @tparam M     type of the metric
///
/// @see of_cost
template <Text cost, AnyMetric M>
class CostMetric {
public:
    /// @cond internal
    static constexpr Text cost_name = cost;
    static constexpr auto names = [] {
        auto all = M::names;
        for (Text& each : all) each = detail::score_name(cost, each.view());
        return all;
    }();
    static constexpr std::string_view word = M::word;
    /// @endcond

    /// Constructs the metric. `of_cost` does that for you.
    /// @param metric  metric of the cost
    explicit CostMetric(M metric) : metric_(std::move(metric)) {}
    /// @cond internal
    static constexpr detail::Refusal misfit(const detail::CostRecord& of) { return M::misfit(of); }
    auto counts(const detail::ScoredCost& at, const auto& model, const Dataset& data) const {
        return metric_.counts(at, model, data);
    }
    auto values(const auto& counts) const { return metric_.values(counts); }
    std::string arguments() const {
        const std::string more = metric_.arguments();
        return sentence("of_cost \"", cost.view(), more.empty() ? "\"" : "\", ", more);
    }
    std::string options() const { return metric_.options(); }
    /// @endcond

private:
    M metric_;
};
/// Returns a metric of one cost of a network with several: `of_cost<"price">(regression)` computes
/// `value<"price.rmse">`.
/// @tparam cost   name of the cost; a name that the network does not have does not compile
/// @param metric  metric to compute, such as `regression`
/// @return the metric, for `score`
///
/// @par Example
/// @code{.txt}
/// trainer.add(every(1, epoch).then(score(houses, of_cost<"price">(regression), of_cost<"kind">(top<1>)),
///                                  report(value<"price.rmse">, value<"kind.top1">)));
/// @endcode
template <Text cost, AnyMetric M>
CostMetric<cost, M> of_cost(M metric) {
    return CostMetric<cost, M>(std::move(metric));
}

/// Returns an action that evaluates the network on a data set.
///
/// Without metrics it computes `accuracy` and `validation_error`, the share of correctly classified records and the
/// mean loss. With metrics it computes these instead, all in one pass: `top<1, 3>`, `binary`, `regression`, a
/// Confusion. With a key it computes `accuracy_of<key>` and `error_of<key>`, and the names of metrics begin with the
/// key: `value<"test.top1">`. Predictions are made in batches of 256.
///
/// A firing throws DataError or ShapeError if the data do not fit the network, and ArgumentError if they were
/// preprocessed otherwise than the training data.
/// @tparam key     text before the names of the values (default: none)
/// @param data     data set to evaluate, with the inputs and targets of the network by name
/// @param metrics  any number of metrics
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background, on a copy of the parameters.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing), report(epoch, validation_error, accuracy)),
///             every(5, epoch).then(score<"test">(testing, top<3>), report(value<"test.top3">)));
/// @endcode
///
/// @see accuracy, validation_error, accuracy_of, top, binary, regression, of_cost
template <Text key = "", AnyMetric... Metrics>
ScoreData<key, Metrics...> score(Dataset data, Metrics... metrics) {
    return ScoreData<key, Metrics...>(std::move(data), std::move(metrics)...);
}
/// @cond internal
template <Text key = "", AnyValue... Values>
    requires(sizeof...(Values) > 0)
error_score_takes_metrics_not_values<use_score_of_the_data_alone_for_accuracy_and_validation_error> score(
    const Dataset&, const Values&...);
/// @endcond
/// The share of correctly classified records that `score<key>(data)` computes, from 0 to 1.
///
/// @tparam key  text of the `score` that computes it
///
/// @par Updated
/// When the hook has computed it. NaN before.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score<"test">(testing), report(accuracy_of<"test">, error_of<"test">)));
/// @endcode
template <Text key>
inline constexpr typename ScoreData<key>::AccuracyValue accuracy_of{};
/// The mean loss that `score<key>(data)` computes.
///
/// @tparam key  text of the `score` that computes it
///
/// @par Updated
/// When the hook has computed it. NaN before.
///
/// @see accuracy_of
template <Text key>
inline constexpr typename ScoreData<key>::ErrorValue error_of{};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/score.ipp>
#endif
