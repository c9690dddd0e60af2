// SPDX-License-Identifier: BSL-1.0
// What evaluating says, wherever it is asked for, and on how many threads.
#include <sigma/data/dataset.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/cross_validate.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <vector>

using namespace sigma;

namespace {

struct YesOrNo : Network<Input(3) + Dense(4, tanh) + Dense(1) + BinaryCE()> {};
struct Questions : Network<Input(3) + Dense(2) + BinaryCE({.ignore = -1})> {};
struct Weighed : Network<Input(3) + Dense(1) + weighted_records(BinaryCE())> {};
struct Margins : Network<Input(3) + Dense(1) + Hinge()> {};
struct Amounts : Network<Input(3) + Dense(1) + MeanSquaredError()> {};
struct Both
    : Network<Input(3) + Costs(named("amount", Dense(1) + MeanSquaredError()), named("yes", Dense(1) + BinaryCE()))> {};
struct Wide : Network<Input(40) + Dense(64, tanh) + Dense(3) + SoftmaxCE()> {};

constexpr std::size_t records = 300;  // more than are taken at a time

Array<float> drawn(std::vector<std::size_t> shape, std::uint64_t seed) {
    auto x = Array<float>::from_shape(std::move(shape));
    Philox(seed, RandomUse::user, 0).fill_normal(std::span<float>(x.data(), x.size()));
    return x;
}
/// 1 where the sum of a row is above 0, and now and then not.
Array<float> answers(const Array<float>& x) {
    auto y = Array<float>::from_shape({x.shape()[0], 1});
    for (std::size_t r = 0; r < y.size(); ++r) y(r, 0) = (x(r, 0) + x(r, 1) + x(r, 2) > 0) != (r % 17 == 0);
    return y;
}
template <class A, class B>
bool same_bits(const A& a, const B& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

}  // namespace

TEST_CASE("The accuracy of yes and no is one number, whoever says it") {
    const auto x = drawn({records, 3}, 1);
    const Dataset data = make_dataset(x, answers(x));
    Trainer trainer("yes", YesOrNo{}, Adam{.learning_rate = 0.05}, minibatches(data, 30));
    double scored = 0, counted = 0, in_history = 0;
    trainer.add(every(1, epoch).then(score(data), use(accuracy, [&](double a) { scored = a; })));
    trainer.add(every(1, epoch).then(score<"metric">(data, binary),
                                     use(value<"metric.binary_accuracy">, [&](double a) { counted = a; })));
    in_history = trainer.run({.epochs = 10, .validation = data}).epochs.back().accuracy;
    const auto score = trainer.evaluate(data);
    CHECK(score.accuracy > 0.9);
    std::size_t right = 0;
    const auto said = trainer.classify(x);
    for (std::size_t r = 0; r < records; ++r) right += said[r] == static_cast<std::size_t>(answers(x)(r, 0));
    CHECK(score.accuracy == Approx(static_cast<double>(right) / records).epsilon(1e-6));
    CHECK(score.costs[0].accuracy == score.accuracy);
    CHECK(scored == score.accuracy);
    CHECK(in_history == score.accuracy);
    CHECK(counted == Approx(score.accuracy).epsilon(1e-6));
    CHECK(trainer.model().evaluate(data).accuracy == score.accuracy);

    const auto fitted = fit(YesOrNo{}, data, {.epochs = 2, .quiet = true});
    CHECK(fitted.best().accuracy == fitted.evaluate(*fitted.validation()).accuracy);
    CHECK(cross_validate(YesOrNo{}, data, Adam{}, {.folds = 2, .fit = {.epochs = 1, .quiet = true}}).accuracy().mean >
          0);
}

TEST_CASE("What knows right and wrong says it, and what does not says NaN") {
    const auto x = drawn({records, 3}, 1), y = answers(x);
    const Dataset data = make_dataset(x, y);
    const auto share = [&](const auto& model, float from) {
        const auto p = model.predict(x);
        std::size_t right = 0;
        for (std::size_t r = 0; r < records; ++r) right += (p(r, 0) >= from) == (y(r, 0) > 0);
        return static_cast<double>(right) / records;
    };
    const Model<Margins> margins(2);
    CHECK(margins.evaluate(data).accuracy == Approx(share(margins, 0)).epsilon(1e-6));
    CHECK(std::isnan(Model<Amounts>(2).evaluate(data).accuracy));
    CHECK(std::isnan(Model<Amounts>(2).evaluate(data).costs[0].accuracy));
    CHECK(std::isnan(Model<Amounts>(2).evaluate(x.data(), y.data(), records).accuracy));

    const Model<Weighed> weighed(2);
    const Dataset with = with_weights(data, std::vector<float>(records, 2));
    CHECK(weighed.evaluate(with).accuracy == Approx(share(weighed, 0.5f)).epsilon(1e-6));

    const Model<Both> both(2);
    const auto score = both.evaluate(Dataset(
        std::vector<NamedNumbers>{{"", {{records, 3}, {x.begin(), x.end()}}}},
        {{"amount", {{records, 1}, {y.begin(), y.end()}}}, {"yes", {{records, 1}, {y.begin(), y.end()}}}}, "both"));
    CHECK(std::isnan(score.costs[0].accuracy));
    CHECK(score.costs[1].accuracy > 0);
    CHECK(score.accuracy == score.costs[1].accuracy);

    // What is ignored is neither.
    const Model<Questions> questions(2);
    const Array<float> two{{0, 0, 0}, {1, 2, 3}}, targets{{-1, 1}, {-1, -1}};
    const auto p = questions.predict(two);
    CHECK(questions.evaluate(two.data(), targets.data(), 2).accuracy == (p(0, 1) >= 0.5f ? 1 : 0));
}

TEST_CASE("Accuracy is the share of what counts, however it lies in the records that are taken at a time") {
    struct Kinds : Network<Input(3) + Dense(3) + SoftmaxCE({.ignore = -1})> {};
    struct Weighty : Network<Input(3) + Dense(3) + weighted_records(SoftmaxCE({.ignore = -1}))> {};
    const auto x = drawn({3 * records, 3}, 1);
    const Model<Kinds> model(3);
    const auto said = model.predict(x);
    std::vector<int> y(3 * records);
    Accuracy by_hand(3, {.ignore = -1});
    for (std::size_t r = 0; r < y.size(); ++r)
        y[r] = r < 300 ? -1 : r > 500 && r % 7 != 0 ? -1 : static_cast<int>(r % 3);
    by_hand.add(said, y);
    const Dataset data = make_dataset(x, y);
    CHECK(by_hand.count() < 300);
    const auto score = model.evaluate(data);
    CHECK(score.accuracy == Approx(by_hand.value()).epsilon(1e-6));
    CHECK(score.costs[0].accuracy == score.accuracy);
    CHECK(score.costs[0].answers == static_cast<double>(by_hand.count()));
    const std::vector<float> floats(y.begin(), y.end());
    CHECK(model.evaluate(x.data(), floats.data(), static_cast<std::ptrdiff_t>(y.size())).accuracy ==
          Approx(by_hand.value()).epsilon(1e-6));
    Model<Weighty> with(3);
    transfer(model, with);
    CHECK(with.evaluate(with_weights(data, std::vector<float>(y.size(), 2))).accuracy ==
          Approx(by_hand.value()).epsilon(1e-6));
    const auto made = network(Input(3) + Dense(3) + SoftmaxCE({.ignore = -1}));
    CHECK(Model(made, 3).evaluate(data).accuracy == score.accuracy);
    CHECK(std::isnan(model.evaluate(x, std::vector<int>(y.size(), -1)).accuracy));
}

/// Records of which few count at the beginning, and all at the end: batches of them differ in what counts.
template <class Target>
Dataset partly_ignored(std::vector<std::size_t> target, bool weights, Target of) {
    constexpr std::size_t all = 600;
    std::size_t width = 1;
    for (const std::size_t extent : target) width *= extent;
    const auto x = drawn({all, 6}, 5);
    std::vector<float> y;
    for (std::size_t r = 0; r < all; ++r) {
        for (std::size_t k = 0; k < width; ++k)
            y.push_back(r < 300 && (r + k) % 23 != 0 ? -1.0f : of(r, k, x(r, k % 6)));
        if (weights) y.push_back(static_cast<float>(r % 4) / 2);
    }
    if (weights) target = {width + 1};
    target.insert(target.begin(), all);
    return Dataset({{all, 6}, {x.begin(), x.end()}}, {target, y}, "partly");
}
/// The loss of all records as one batch, as PyTorch has it of the concatenated data.
template <class N>
void check_loss_of_all(const Model<N>& model, const Dataset& data) {
    Model<N> copy(model);
    BatchTrainer one(copy, GradientDescent{});
    for (const Batch& whole : epoch_of(minibatches(data, data.size()), 0)) {
        const double wanted = one.gradients_on_batch(whole);
        CHECK(wanted > 0);
        CHECK(model.evaluate(data).error == Approx(wanted).epsilon(2e-6));
        for (int c = 0; c < model.records.costs.size(); ++c)
            if (model.records.costs.size() > 1)
                CHECK(model.evaluate(data).costs[static_cast<std::size_t>(c)].error ==
                      Approx(one.loss(c)).epsilon(2e-6));
    }
}
struct Tags : Network<Input(6) + Dense(3) + SoftmaxCE({.ignore = -1})> {};
struct TagAndAmount
    : Network<Input(6) + Costs(loss_weight(0.25, Dense(3) + SoftmaxCE({.ignore = -1})),
                               named("amount", Dense(1) + MeanSquaredError({.ignore = -1})), Dense(1) + Hinge())> {};

TEST_CASE("The loss of what counts is its mean over all records, however they are batched") {
    const auto class_of = [](std::size_t r, std::size_t k, float) { return static_cast<float>((r * r + k) % 3); };
    const auto amount_of = [](std::size_t, std::size_t, float x) { return 3 * x + 10; };
    const auto yes_of = [](std::size_t, std::size_t, float x) { return x > 0 ? 1.0f : 0.0f; };
    const Dataset classes = partly_ignored({}, false, class_of), times = partly_ignored({2}, false, class_of),
                  amounts = partly_ignored({3}, false, amount_of), yes = partly_ignored({3}, false, yes_of);
    check_loss_of_all(Model<Tags>(4), classes);
    for (const Reduction how : {Reduction::over_elements, Reduction::over_batch}) {
        const auto examine = [](auto layers, const Dataset& data) {
            check_loss_of_all(Model<DynamicNetwork>(network(std::move(layers)), 4), data);
        };
        const SoftmaxCE ce({.reduction = how, .ignore = -1});
        examine(Input(6) + Dense(3) + ce, classes);
        examine(Input(6) + Dense(6) + Reshape(2, 3) + ce, times);
        examine(Input(6) + Dense(6) + Reshape(2, 3) + SoftmaxCE({.smoothing = 0.1, .reduction = how, .ignore = -1}),
                times);
        examine(Input(6) + Dense(6) + Reshape(2, 3) + ce.weighted(1, 0.25, 4), times);
        examine(Input(6) + Dense(3) + MulticlassHinge({.reduction = how, .ignore = -1}), classes);
        examine(Input(6) + Dense(3) + MeanSquaredError({.reduction = how, .ignore = -1}), amounts);
        examine(Input(6) + Dense(3) + SquaredDiff({.reduction = how, .ignore = -1}), amounts);
        examine(Input(6) + Dense(3) + BinaryCE({.reduction = how, .ignore = -1}), yes);
        examine(Input(6) + Dense(3) + weighted_records(MeanSquaredError({.reduction = how, .ignore = -1})),
                partly_ignored({3}, true, amount_of));
        examine(Input(6) + Dense(3) + weighted_records(ce), partly_ignored({1}, true, class_of));
        // Classes that weigh differently, of which batches have different numbers.
        const auto rare = [](std::size_t r, std::size_t k, float) {
            return r < 256 ? 0.0f : static_cast<float>((r + k) % 3);
        };
        const Dataset sorted =
            partly_ignored({}, false, [&](std::size_t r, std::size_t k, float x) { return rare(r, k, x); });
        examine(Input(6) + Dense(3) + ce.weighted(1, 0.25, 4), sorted);
    }
}

TEST_CASE("Several costs add up by their weights, each over what counts for it") {
    const auto x = drawn({600, 6}, 5);
    std::vector<float> kinds, prices, sides;
    for (std::size_t r = 0; r < 600; ++r) {
        kinds.push_back(r < 300 && r % 23 != 0 ? -1.0f : static_cast<float>(r % 3));
        prices.push_back(r > 200 && r % 7 != 0 ? -1.0f : 3 * x(r, 1) + 10);
        sides.push_back(x(r, 2) > 0 ? 1.0f : -1.0f);
    }
    const Array<float> kind({600}, kinds), price({600, 1}, prices), side({600, 1}, sides);
    Model<TagAndAmount> model(4), copy(model);
    BatchTrainer one(copy, GradientDescent{});
    for (const double weight : {0.25, 2.0}) {
        model.set_hyperparameter("*.loss_weight", weight);
        copy.set_hyperparameter("*.loss_weight", weight);
        one.forget();
        const double wanted = one.gradients_on_batch(x, kind, price, side);
        const auto found = model.evaluate({x.data()}, {kind.data(), price.data(), side.data()}, 600);
        CHECK(found.error == Approx(wanted).epsilon(2e-6));
        for (int c = 0; c < 3; ++c)
            CHECK(found.costs[static_cast<std::size_t>(c)].error == Approx(one.loss(c)).epsilon(2e-6));
    }
}

TEST_CASE("Where nothing counts a loss is 0, and does not count beside others") {
    Model<Tags> model(4);
    const auto x = drawn({600, 6}, 5);
    std::vector<float> y(600, -1.0f);
    CHECK(model.evaluate(x, Array<float>({600}, y)).error == 0);
    y[599] = 2;
    const double last = model.evaluate(Array<float>({1, 6}, {&x(599, 0), &x(599, 0) + 6}), Array<float>{2}).error;
    CHECK(model.evaluate(x, Array<float>({600}, y)).error == Approx(last).epsilon(1e-6));
}

TEST_CASE("Predictions and scores are the same bits on any number of threads, by default those of the last run") {
    const auto x = drawn({records, 40}, 3);
    auto classes = Array<float>::from_shape({records});
    for (std::size_t i = 0; i < records; ++i) classes(i) = static_cast<float>(i % 3);
    const Dataset data = make_dataset(x, classes);
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(data, 60));
    CHECK(trainer.model().threads() == 1);
    const auto alone = trainer.predict(x);
    const auto score = trainer.evaluate(data);
    for (const int threads : {1, 2, 3}) {
        CHECK(same_bits(trainer.predict(cpu({.threads = threads}), x), alone));
        CHECK(same_bits(trainer.model().predict(cpu({.threads = threads}), x), alone));
        CHECK(same_bits(trainer.predict<0>(cpu({.threads = threads}), x), alone));
        const auto again = trainer.evaluate(cpu({.threads = threads}), data);
        CHECK(again.error == score.error);
        CHECK(again.accuracy == score.accuracy);
        CHECK(trainer.model().evaluate(cpu({.threads = threads}), data).error == score.error);
    }
    trainer.run(cpu({.threads = 2}), 1);
    CHECK(trainer.model().threads() == 2);
    const Model<Wide> copy(trainer.model());
    CHECK(copy.threads() == 2);
    CHECK(same_bits(copy.predict(x), copy.predict(cpu(1), x)));
    CHECK_THROWS_AS(trainer.model().set_threads(0), ArgumentError);
}

TEST_CASE("A prediction goes to the device that it is given, and the parameters come back") {
    const auto x = drawn({records, 40}, 3);
    Model<Wide> model(4);
    const auto here = model.predict(x);
    const Device device{detail::SharedOwner<detail::ComputeDevice>(detail::SharedOwner<detail::CpuDevice>::make())};
    const auto there = model.predict(device, x);
    CHECK(model.dual_buffer().compute_device() == nullptr);
    CHECK(there.size() == here.size());
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(there.data()[i] == Approx(here.data()[i]).epsilon(1e-4));
    CHECK(same_bits(model.predict(x), here));
}
