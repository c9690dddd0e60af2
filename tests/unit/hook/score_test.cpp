// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/hook/parameter_actions.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>
#include <support/comma_locale.hpp>

#include <map>
#include <set>

using namespace sigma;

namespace {

struct Classes : Network<Input(3) + Dense(4) + SoftmaxCE({.ignore = -1})> {};
struct YesNo : Network<Input(3) + Dense(1) + BinaryCE()> {};
struct Amounts : Network<Input(3) + Dense(2) + SquaredDiff()> {};
struct SomeAmounts : Network<Input(3) + Dense(2) + MeanSquaredError({.ignore = -9})> {};
struct SomeAnswers : Network<Input(3) + Dense(1) + BinaryCE({.ignore = -1})> {};
struct Tasks : Network<(named("left", Input(3)) & named("right", Input(2))) + Parallel(Dense(4, tanh), Dense(4)) +
                       Add() + Costs(Dense(3) + named("kind", SoftmaxCE()), Dense(2) + named("price", SquaredDiff()))> {
};

/// 300 records, more than a batch of scores has; each target is drawn by f.
template <class F>
Dataset points(std::size_t numbers, F f, std::uint64_t seed = 1) {
    const Philox random(seed, RandomUse::user, 0);
    Numbers x{{300, 3}, std::vector<float>(900)}, y{{300}, std::vector<float>(300 * numbers)};
    if (numbers > 1) y.shape.push_back(numbers);
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = random.uniform<float>(i) - 0.5f;
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = f(random.uniform<float>(900 + i));
    return {x, y, "points"};
}
Dataset labels(std::uint64_t seed = 1) {
    return points(1, [](float u) { return std::floor(5 * u) - 1; }, seed);  // -1 counts for nothing
}
Dataset answers() {
    return points(1, [](float u) { return u < 0.4f ? 1.0f : 0.0f; });
}

/// What hooks have computed, by name.
using Found = std::map<std::string, double>;
template <Text... names>
auto note(Found& found) {
    return use(value<names>..., [&found](auto... x) { ((found[std::string(names.view())] = x), ...); });
}

}  // namespace

TEST_CASE("Scores of classes are those of the metrics") {
    const Dataset data = labels(), test = labels(2);
    Trainer trainer("classes", Classes{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 50));
    Found found;
    // The wrong way round: what is read comes last.
    trainer.add(
        every(1, epoch).then(
            note<"accuracy", "validation_error", "test.accuracy", "test.error", "top1", "top3", "of.top2">(found)),
        every(1, epoch).then(report(accuracy, validation_error, accuracy_of<"test">, error_of<"test">)),
        every(1, epoch).then(score(data, top<1, 3>), score<"of">(test, top<2>)),
        every(1, epoch).then(score(data), score<"test">(test)));
    std::string line;
    trainer.output = [&](std::string_view l) { line = l; };
    trainer.run(cpu(1), 2);

    const auto score_of = trainer.evaluate(data), test_score = trainer.evaluate(test);
    CHECK(found["accuracy"] == score_of.accuracy);
    CHECK(found["validation_error"] == score_of.error);
    CHECK(found["test.accuracy"] == test_score.accuracy);
    CHECK(found["test.error"] == test_score.error);
    CHECK(found["accuracy"] != found["test.accuracy"]);
    const auto top = [&](const Dataset& of, std::size_t k) {
        Accuracy a(4, {.top = k, .ignore = -1});
        a.add(trainer.predict(of.inputs()), of.targets());
        return a.value();
    };
    CHECK(found["top1"] == top(data, 1));
    CHECK(found["top3"] == top(data, 3));
    CHECK(found["of.top2"] == top(test, 2));
    CHECK(found["top1"] < found["top3"]);
    CHECK(found["top3"] < 1);
    std::string wanted;
    for (const char* name : {"accuracy", "validation_error", "test.accuracy", "test.error"}) {
        wanted += sentence(wanted.empty() ? "" : "  ", name, " ");
        detail::append_number(wanted, found[name], 3);
    }
    CHECK(line == wanted);
}

TEST_CASE("Scores in the background are of the parameters of their moment") {
    const Dataset data = labels();
    Trainer trainer("classes", Classes{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 50));
    std::vector<double> here, behind;
    trainer.add(every(1, iteration).then(score(data), use(validation_error, [&](double e) { here.push_back(e); })));
    trainer.add(every(1, iteration)
                    .then(score(data), use(validation_error, [&](double e) { behind.push_back(e); }))
                    .in_background(100));
    trainer.run(cpu(1), 3);
    CHECK(here.size() == 18);
    CHECK(here == behind);
    CHECK(here.front() != here.back());
}

TEST_CASE("Scores check their data when they first run") {
    Trainer trainer("classes", Classes{}, GradientDescent{.learning_rate = 0.5}, minibatches(labels(), 50));
    trainer.add(every(1, epoch).then(score(points(2, [](float u) { return u; }))));
    CHECK_THROWS_AS(trainer.run(cpu(1), 1), HookError);
}

TEST_CASE("Scores of yes and no") {
    const Dataset data = answers();
    Trainer trainer("yes or no", YesNo{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 50));
    Found found;
    const auto names = note<"binary_accuracy", "precision", "recall", "f1", "auc", "validation_error">(found);
    const auto predictions = [&] { return trainer.predict(data.inputs()); };

    SECTION("with a threshold") {
        trainer.add(every(1, epoch).then(score(data, binary(0.45)), score(data), names));
        trainer.run(cpu(1), 1);
        const auto p = predictions();
        BinaryCounts counts(0.45);
        counts.add(std::span(p.data(), p.size()), data.targets());
        AUC area;
        area.add(std::span(p.data(), p.size()), data.targets());
        CHECK(found["binary_accuracy"] == counts.accuracy());
        CHECK(found["precision"] == counts.precision());
        CHECK(found["recall"] == counts.recall());
        CHECK(found["f1"] == counts.f1());
        CHECK(found["auc"] == area.value());
        CHECK(found["f1"] > 0);
        CHECK(found["validation_error"] == trainer.evaluate(data).error);
    }
    SECTION("with two bounds") {
        const auto p = predictions();
        trainer.add(at(start).then(score(data, binary(0.4, 0.5))), at(start).then(score(data), names));
        trainer.run(cpu(1), 0);
        double right = 0, between = 0, found_yes = 0, said_yes = 0;
        for (std::size_t i = 0; i < data.size(); ++i) {
            const bool yes = p(i, 0) > 0.5f, no = p(i, 0) < 0.4f, is = data.label(i) == 1;
            right += is ? yes : no;
            between += !yes && !no;
            found_yes += is && yes;
            said_yes += yes || (!no && !is);
        }
        CHECK(between > 10);
        CHECK(found["binary_accuracy"] == right / 300);
        CHECK(found["precision"] == found_yes / said_yes);
    }
    SECTION("bounds are not right themselves") {
        trainer.model().parameter(0).fill(0);
        trainer.model().parameter(1).fill(0);  // every prediction is 0.5
        trainer.add(at(start).then(score(data), score(data, binary(0.5, 0.5)), score<"at">(data, binary(0.5)), names,
                                   note<"at.binary_accuracy", "at.recall">(found)));
        trainer.run(cpu(1), 0);
        CHECK(found["binary_accuracy"] == 0);
        CHECK(found["at.binary_accuracy"] > 0.3);
        CHECK(found["at.recall"] == 1);
    }
    CHECK_THROWS_WITH(score(data, binary(0.6, 0.4)),
                      "bounds of a binary score: expected a lower bound up to the upper one, found 0.6 and 0.4");
    CHECK_THROWS_WITH(score(data, binary(NAN)), "threshold of a binary score: expected a number, found nan");
}

TEST_CASE("Scores of numbers") {
    const Dataset data = points(2, [](float u) { return 3 * u; });
    Trainer trainer("amounts", Amounts{}, GradientDescent{.learning_rate = 0.01}, minibatches(data, 50));
    Found found;
    trainer.add(every(1, epoch).then(score(data, regression), note<"rmse", "mae", "r2">(found)));
    trainer.run(cpu(1), 1);
    const auto p = trainer.predict(data.inputs());
    RootMeanSquaredError squared;
    MeanAbsoluteError absolute;
    R2 explained(2);
    squared.add(p, data.targets());
    absolute.add(p, data.targets());
    explained.add(p, data.targets());
    CHECK(found["rmse"] == Approx(squared.value()).epsilon(1e-9));
    CHECK(found["mae"] == Approx(absolute.value()).epsilon(1e-9));
    CHECK(found["r2"] == Approx(explained.value()).epsilon(1e-9));
    CHECK(found["mae"] < found["rmse"]);
}

TEST_CASE("What a loss ignores no metric counts") {
    const Dataset amounts = points(2, [](float u) { return u < 0.3f ? -9 : 3 * u; });
    Trainer trainer("amounts", SomeAmounts{}, GradientDescent{.learning_rate = 0.01}, minibatches(amounts, 50));
    Found found;
    trainer.add(every(1, epoch).then(score(amounts, regression), note<"rmse", "mae", "r2">(found)));
    trainer.run(cpu(1), 1);
    const auto p = trainer.predict(amounts.inputs()), y = amounts.targets();
    double squares = 0, distances = 0, count = 0, explained = 0;
    for (std::size_t o = 0; o < 2; ++o) {
        double n = 0, total = 0, residual = 0, spread = 0;
        for (std::size_t r = 0; r < 300; ++r)
            if (y(r, o) != -9) ++n, total += y(r, o);
        for (std::size_t r = 0; r < 300; ++r) {
            if (y(r, o) == -9) continue;
            const double d = p(r, o) - y(r, o);
            squares += d * d, distances += std::abs(d), residual += d * d;
            spread += (y(r, o) - total / n) * (y(r, o) - total / n);
        }
        count += n, explained += 0.5 * (1 - residual / spread);
    }
    CHECK(found["rmse"] == Approx(std::sqrt(squares / count)).epsilon(1e-6));
    CHECK(found["mae"] == Approx(distances / count).epsilon(1e-6));
    CHECK(found["r2"] == Approx(explained).epsilon(1e-6));

    const Dataset asked = points(1, [](float u) { return u < 0.2f ? -1.0f : u < 0.5f ? 1.0f : 0.0f; });
    Trainer answering("answers", SomeAnswers{}, GradientDescent{.learning_rate = 0.01}, minibatches(asked, 50));
    answering.add(every(1, epoch).then(score(asked, binary), note<"binary_accuracy", "auc">(found)));
    answering.run(cpu(1), 1);
    BinaryCounts counts(0.5, -1);
    AUC area(-1);
    counts.add(answering.predict(asked.inputs()), asked.targets());
    area.add(answering.predict(asked.inputs()), asked.targets());
    CHECK(area.count() < 260);
    CHECK(found["binary_accuracy"] == counts.accuracy());
    CHECK(found["auc"] == area.value());
    CHECK(found["binary_accuracy"] == Approx(answering.evaluate(asked).accuracy).epsilon(1e-6));
}

TEST_CASE("Networks of several inputs and costs are scored at the cost that is named, arrays found by name") {
    const Philox random(4, RandomUse::user, 0);
    NamedNumbers left{"left", {{300, 3}, std::vector<float>(900)}}, right{"right", {{300, 2}, std::vector<float>(600)}};
    NamedNumbers kind{"kind", {{300}, std::vector<float>(300)}}, price{"price", {{300, 2}, std::vector<float>(600)}};
    random.fill_normal(std::span(left.numbers.values));
    Philox(5).fill_normal(std::span(right.numbers.values));
    Philox(6).fill_normal(std::span(price.numbers.values));
    for (std::size_t i = 0; i < 300; ++i) kind.numbers.values[i] = static_cast<float>(i % 3);
    const Dataset swapped({right, left}, {price, kind}, "swapped");

    Trainer trainer("tasks", Tasks{}, GradientDescent{.learning_rate = 0.01}, minibatches(swapped, 50));
    Found found;
    trainer.add(at(start).then(score(swapped, of_cost<"price">(regression), of_cost<"kind">(top<1, 2>)),
                               score<"test">(swapped, of_cost<"price">(regression)),
                               note<"price.rmse", "price.r2", "kind.top1", "kind.top2">(found)));
    trainer.run(cpu(1), 0);

    const auto p = trainer.predict(swapped.inputs(1), swapped.inputs(0));
    RootMeanSquaredError squared;
    R2 explained(2);
    squared.add(p[1], swapped.targets(0));
    explained.add(p[1], swapped.targets(0));
    Accuracy first(3), second(3, {.top = 2});
    first.add(p[0], swapped.targets(1));
    second.add(p[0], swapped.targets(1));
    CHECK(found["price.rmse"] == Approx(squared.value()).epsilon(1e-9));
    CHECK(found["price.r2"] == Approx(explained.value()).epsilon(1e-9));
    CHECK(found["kind.top1"] == first.value());
    CHECK(found["kind.top2"] == second.value());
    CHECK(found["kind.top1"] != found["kind.top2"]);
    CHECK(score<"test">(swapped, of_cost<"kind">(top<1, 2>)).text() ==
          "score_top<\"test\", of_cost \"kind\", 1, 2>(swapped)");
}

TEST_CASE("One score computes several metrics as each by itself") {
    const Dataset data = answers();
    Trainer trainer("yes or no", YesNo{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 50));
    Found together, alone;
    trainer.add(every(1, epoch).then(score(data, binary(0.45), regression),
                                     note<"binary_accuracy", "f1", "auc", "rmse", "r2">(together)));
    trainer.add(every(1, epoch).then(score(data, binary(0.45)), score(data, regression),
                                     note<"binary_accuracy", "f1", "auc", "rmse", "r2">(alone)));
    trainer.run(cpu(1), 2);
    CHECK(together.size() == 5);
    CHECK(together == alone);
    CHECK(score(data, binary, regression).text() == "score_binary(points, 0.5) and score_regression(points)");
}

static_assert(!Computed<"test.rmse">::larger_is_better && !Computed<"test.error">::larger_is_better);
static_assert(Computed<"r2">::larger_is_better && Computed<"test.accuracy">::larger_is_better);

TEST_CASE("Hooks that do different things are different sentences, which no locale changes") {
    const auto texts = [] {
        const Dataset data = labels();
        return std::vector<std::string>{score(data).text(),
                                        score<"test">(data).text(),
                                        score(data, regression).text(),
                                        score<"test">(data, regression).text(),
                                        score(data, top<1>).text(),
                                        score(data, top<1, 3>).text(),
                                        score<"test">(data, top<1>).text(),
                                        score<"of">(data, top<1>).text(),
                                        score(data, binary).text(),
                                        score<"test">(data, binary).text(),
                                        score<"of">(data, binary).text(),
                                        score(data, binary(0.4)).text(),
                                        score(data, binary(0.12345678)).text(),
                                        score(data, binary(0.12345679)).text(),
                                        score(data, binary(0.4, 0.6)).text(),
                                        loss.exceeds(0.12345678).text(),
                                        loss.exceeds(0.12345679).text(),
                                        loss.exceeds(1'000'000).text(),
                                        loss.exceeds(1'000'001).text(),
                                        early_stop(error).text(),
                                        early_stop(error, {.patience = 6}).text(),
                                        early_stop(error, {.min_change = 0.1}).text(),
                                        early_stop(error, {.restore_best = false}).text(),
                                        early_stop(error, {.best = Best::largest}).text(),
                                        reduce_on_plateau(error).text(),
                                        reduce_on_plateau(error, {.factor = 0.3}).text(),
                                        reduce_on_plateau(error, {.patience = 4}).text(),
                                        reduce_on_plateau(error, {.min_rate = 1e-6}).text(),
                                        reduce_on_plateau(error, {.cooldown = 2}).text(),
                                        reduce_on_plateau(error, {.min_change = 0.1}).text(),
                                        reduce_on_plateau(error, {.best = Best::largest}).text(),
                                        set(learning_rate, 0.1).text(),
                                        set(learning_rate, 0.1).at_least(0.01).text(),
                                        set(learning_rate, 0.1).at_most(0.5).text(),
                                        multiply(learning_rate, 0.1).text(),
                                        set(&Adam::beta1, 0.1).text(),
                                        set(&Adam::beta2, 0.1).text(),
                                        one_cycle(10).text(),
                                        one_cycle(10, {.start = 0.5}).text(),
                                        one_cycle(10, {.end = 0.5}).text(),
                                        one_cycle(10, {.rise = 0.5}).text(),
                                        report(error).text(),
                                        report(error).decimals(5).text(),
                                        report("error").text(),
                                        modify("*", clip(-1, 1)).text(),
                                        modify("*", clip(-2, 1)).text(),
                                        modify("*", max_norm(1)).text(),
                                        modify("*", max_norm(1, Per::parameter)).text(),
                                        modify("*", scale(0.5)).text(),
                                        reinitialize("*", gaussian(0.1)).text(),
                                        reinitialize("*", gaussian(0.2)).text(),
                                        reinitialize("*", gaussian(0.1, 1)).text(),
                                        reinitialize("*", glorot()).text(),
                                        reinitialize("*", glorot_normal()).text()};
    };
    const auto all = texts();
    CHECK(std::set(all.begin(), all.end()).size() == all.size());
    CHECK(score<"test">(labels(), top<1, 3>).text() == "score_top<\"test\", 1, 3>(points)");
    CHECK(score<"test">(labels(), binary(0.25, 0.5)).text() == "score_binary<\"test\">(points, 0.25, 0.5)");
    CHECK(set(&Adam::beta2, 0.5).text() == "set(beta2 of adam, 0.5)");
    const CommaLocale comma;
    CHECK(texts() == all);
}
