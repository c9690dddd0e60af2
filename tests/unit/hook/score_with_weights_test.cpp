// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

using namespace sigma;

namespace {

template <auto loss, int outputs>
struct ScoredRows : Network<Input(3) + Dense(outputs) + loss> {};

/// More records than a batch of scores has.
constexpr std::size_t scored_records = 300;

template <class F>
Dataset scored_rows(std::vector<std::size_t> shape, F f) {
    const Philox random(3, RandomUse::user, 0);
    Numbers x{{scored_records, 3}, std::vector<float>(3 * scored_records)}, y{std::move(shape), {}};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = random.uniform<float>(i) - 0.5f;
    for (std::size_t i = 0; i < y.shape[0] * (y.shape.size() > 1 ? y.shape[1] : 1); ++i)
        y.values.push_back(f(random.uniform<float>(1000 + i)));
    return {x, y, "rows"};
}
std::vector<double> uneven_weights() {
    std::vector<double> all;
    for (std::size_t i = 0; i < scored_records; ++i) all.push_back(static_cast<double>(i % 4));
    return all;
}

/// What metrics find of one network at its first parameters, by name.
template <class N, Text... names, class... Metrics>
std::map<std::string, double> found_by(const Dataset& data, Metrics... metrics) {
    Trainer trainer("rows", N{}, GradientDescent{.learning_rate = 0}, minibatches(data, 50));
    std::map<std::string, double> found;
    trainer.add(every(1, epoch).then(score(data, metrics...), use(value<names>..., [&found](auto... x) {
                                         ((found[std::string(names.view())] = x), ...);
                                     })));
    trainer.run(cpu(1), 1);
    return found;
}

}  // namespace

TEST_CASE("Metrics of records with weights are those of the records") {
    const Dataset classes = scored_rows({scored_records}, [](float u) { return std::floor(4 * u); });
    using Classes = ScoredRows<SoftmaxCE({.ignore = 0}), 4>;
    using WeightedClasses = ScoredRows<weighted_records(SoftmaxCE({.ignore = 0})), 4>;
    const auto of_classes = found_by<Classes, "top1", "top2">(classes, top<1, 2>);
    CHECK(found_by<WeightedClasses, "top1", "top2">(with_weights(classes, uneven_weights()), top<1, 2>) == of_classes);
    CHECK(of_classes.at("top1") > 0);
    CHECK(of_classes.at("top1") < of_classes.at("top2"));

    const Dataset answers = scored_rows({scored_records}, [](float u) { return u < 0.4f ? 1.0f : 0.0f; });
    const auto of_answers = found_by<ScoredRows<BinaryCE{}, 1>, "f1", "auc", "precision">(answers, binary);
    CHECK(found_by<ScoredRows<weighted_records(BinaryCE()), 1>, "f1", "auc", "precision">(
              with_weights(answers, uneven_weights()), binary) == of_answers);
    CHECK(of_answers.at("auc") > 0);

    const Dataset amounts = scored_rows({scored_records, 2}, [](float u) { return u; });
    const auto of_amounts = found_by<ScoredRows<SquaredDiff{}, 2>, "rmse", "mae", "r2">(amounts, regression);
    CHECK(found_by<ScoredRows<weighted_records(SquaredDiff()), 2>, "rmse", "mae", "r2">(
              with_weights(amounts, uneven_weights()), regression) == of_amounts);
    CHECK(of_amounts.at("mae") > 0);
}

TEST_CASE("A classification report of records with weights counts each of them once") {
    using Weighted = ScoredRows<weighted_records(SoftmaxCE()), 3>;
    const Dataset classes = scored_rows({scored_records}, [](float u) { return std::floor(3 * u); });
    const Dataset weighed = with_weights(classes, uneven_weights());
    const Model<Weighted> model(1);
    const ClassificationReport report = classification_report(model, weighed);
    CHECK(report.matrix().count() == scored_records);
    CHECK(report.accuracy() == classification_report(Model<ScoredRows<SoftmaxCE{}, 3>>(1), classes).accuracy());
    CHECK(report.classes()[1].support > 50);
}

TEST_CASE("Metrics that do not fit a loss do not fit it with weights") {
    using Classes = ScoredRows<weighted_records(SoftmaxCE()), 3>;
    using Amounts = ScoredRows<weighted_records(SquaredDiff()), 3>;
    STATIC_REQUIRE(detail::MetricMisfit<Classes, RegressionMetric>::refusal.fault ==
                   &error_network_does_not_predict_numbers);
    STATIC_REQUIRE(detail::MetricMisfit<Amounts, TopMetric<1>>::refusal.fault ==
                   &error_metric_needs_a_loss_that_classifies);
    STATIC_REQUIRE_FALSE(detail::is_fine<decltype(detail::check_metric<Classes, RegressionMetric>())>);
    STATIC_REQUIRE(detail::is_fine<decltype(detail::check_metric<Amounts, RegressionMetric>())>);
}
