// SPDX-License-Identifier: BSL-1.0
#pragma once
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

namespace sigma {

/// A network has no loss that classifies or answers yes or no: nothing is right or wrong.
template <class Network>
struct error_network_does_not_classify;
/// Of a network with several costs a metric is told which one: score(data, of_cost<"price">(regression)).
template <int>
struct costs_of_the_network;
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

/// What a metric counts at: one of a network's costs.
struct ScoredCost {
    int number;
    const CostRecord& record;
};
/// Whose the number of its cost is: 0, or that of the name that the metric has; -1 where it has none.
template <class Metric>
constexpr int scored_cost(const NetworkTable& network) {
    if constexpr (requires { Metric::cost_name; }) return network.find_cost(Metric::cost_name.view());
    else return network.costs.size() == 1 ? 0 : -1;
}
/// What is wrong with a metric at a cost of a network.
template <class N, class Metric>
struct MetricMisfit {
    static constexpr Refusal refusal = Metric::misfit(network_table<N>.costs[scored_cost<Metric>(network_table<N>)]);
};
template <class N, class Metric>
consteval auto check_metric() {
    if constexpr (MadeNetwork<N>) {
        return Mistake<>{};  // see cost_of
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
/// The cost that a metric is of. Throws ArgumentError or MistakeError where the compiler has not seen that it does not
/// fit.
template <class Metric>
ScoredCost cost_of(const NetworkTable& network) {
    int i = 0;
    if constexpr (requires { Metric::cost_name; }) i = cost_at(network, Metric::cost_name.view());
    else if (network.costs.size() != 1) throw_no_cost_named(network);
    const Refusal refusal = Metric::misfit(network.costs[i]);
    if (refusal) throw_mistake(refusal, network.costs[i].name);
    return {i, network.costs[i]};
}

/// "accuracy", or "test.accuracy" with a key
constexpr Text score_name(Text key, std::string_view what) {
    if (key.size > 0) key.append(".");
    return key.append(what);
}
/// "score(iris)", "score<"test">(iris)", and with a metric "score_top<"test", 1, 3>(iris)", as checkpoints have it:
/// `more` are further template arguments, `options` what follows the data.
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

/// What `score` compares predictions with targets by: it counts, `metric.counts(cost, model, data)`, at a ScoredCost
/// for whose record `misfit(record)` refuses nothing, and `values(counts)` are called `names`.
template <class M>
concept AnyMetric = requires {
    { M::names.size() } -> std::convertible_to<std::size_t>;
    M::word;
};

/// Computes the metrics of a data set.
template <Text key, AnyMetric... Metrics>
class ScoreData : public Action<ScoreData<key, Metrics...>> {
public:
    using Writes = detail::JoinedTypes<typename detail::MetricValues<key, Metrics>::type...>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreData(Dataset data, Metrics... metrics) : data_(std::move(data)), metrics_(std::move(metrics)...) {}
    template <class M, class>
    static constexpr auto examine() {
        return detail::FirstMistake<decltype(detail::check_metric<detail::NetworkOfModel<M>, Metrics>())...>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        auto& evaluator = data_.in(context);
        std::apply(
            [&](auto&... metric) {
                const std::array<int, sizeof...(Metrics)> costs{detail::scored_cost<Metrics>(model.network())...};
                std::tuple counts{metric.counts(detail::cost_of<Metrics>(model.network()), model, data_.data())...};
                std::apply(
                    [&](auto&... count) {
                        evaluator.predict(model, [&](int cost, auto predictions, auto targets) {
                            std::size_t i = 0;
                            ((cost == costs[i++] ? count.add(predictions, targets) : void()), ...);
                        });
                        (detail::MetricValues<key, Metrics>::publish(context, metric.values(count)), ...);
                    },
                    counts);
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

private:
    detail::EvaluatedData data_;
    std::tuple<Metrics...> metrics_;
};

/// Without metrics: the mean loss, on whatever device, and the share of records that are classified right.
template <Text key>
class ScoreData<key> : public Action<ScoreData<key>> {
public:
    using AccuracyValue = Computed<detail::score_name(key, "accuracy")>;
    using ErrorValue = Computed<key.size == 0 ? Text("validation_error") : detail::score_name(key, "error")>;
    using Writes = Types<AccuracyValue, ErrorValue>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreData(Dataset data) : data_(std::move(data)) {}
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

private:
    detail::EvaluatedData data_;
};

/// Of a network with several costs, a metric of the one that is called so, and what it computes under its name:
/// `score(data, of_cost<"price">(regression))` computes `value<"price.rmse">`.
template <Text cost, AnyMetric M>
class CostMetric {
public:
    static constexpr Text cost_name = cost;
    static constexpr auto names = [] {
        auto all = M::names;
        for (Text& each : all) each = detail::score_name(cost, each.view());
        return all;
    }();
    static constexpr std::string_view word = M::word;

    explicit CostMetric(M metric) : metric_(std::move(metric)) {}
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

private:
    M metric_;
};
template <Text cost, AnyMetric M>
CostMetric<cost, M> of_cost(M metric) {
    return CostMetric<cost, M>(std::move(metric));
}

/// Takes the network over a data set: `score(validation)` computes `accuracy` and `validation_error`, and
/// `score<"test">(data)` what `accuracy_of<"test">` and `error_of<"test">` read. With metrics (score_metrics.hpp) it
/// computes these in one pass: `score(validation, top<1, 3>)`, `score(validation, binary)`, `score(validation,
/// regression)`. Throws DataError where the data do not fit the network.
template <Text key = "", AnyMetric... Metrics>
ScoreData<key, Metrics...> score(Dataset data, Metrics... metrics) {
    return ScoreData<key, Metrics...>(std::move(data), std::move(metrics)...);
}
template <Text key = "", AnyValue... Values>
    requires(sizeof...(Values) > 0)
error_score_takes_metrics_not_values<write_score_of_the_data_alone_for_accuracy_and_validation_error> score(
    const Dataset&, const Values&...);
template <Text key>
inline constexpr typename ScoreData<key>::AccuracyValue accuracy_of{};
template <Text key>
inline constexpr typename ScoreData<key>::ErrorValue error_of{};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/score.ipp>
#endif
