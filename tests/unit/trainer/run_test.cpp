// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <vector>

using namespace sigma;

namespace {

struct Classes : Network<Input(2) + Dense(3) + SoftmaxCE()> {};
struct Amounts : Network<Input(2) + Dense(1) + SquaredDiff()> {};

Dataset labelled(std::size_t records) {
    Numbers x{{records, 2}, std::vector<float>(2 * records)}, y{{records}, std::vector<float>(records)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7 % 11) / 11;
    for (std::size_t i = 0; i < records; ++i) y.values[i] = static_cast<float>(i % 3);
    return {x, y, "points"};
}
Dataset amounts(std::size_t records) {
    Numbers x{{records, 2}, std::vector<float>(2 * records, 0.5f)}, y{{records, 1}, std::vector<float>(records, 2)};
    return {x, y, "amounts"};
}
template <class N>
auto trained_on(const Dataset& data) {
    return Trainer<N, GradientDescent>("small", N{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 5));
}
std::vector<bool> bests(const History& history) {
    std::vector<bool> all;
    for (const EpochResult& e : history.epochs) all.push_back(e.best);
    return all;
}

}  // namespace

TEST_CASE("A run returns what was seen in its epochs") {
    const Dataset data = labelled(30), testing = labelled(12);
    Trainer trainer("small", Classes{}, GradientDescent{.learning_rate = 0.5}, minibatches(data, 5));
    std::vector<double> told, scored, right;
    trainer.on_epoch([&](auto& t) {
        told.push_back(t.training_loss());
        scored.push_back(t.evaluate(testing).error);
        right.push_back(t.evaluate(testing).accuracy);
        CHECK(t.history().epochs.size() == told.size());  // before the callbacks
    });
    const History history = trainer.run({.epochs = 4, .validation = testing});
    REQUIRE(history.epochs.size() == 4);
    double least = INFINITY, seconds = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const EpochResult& e = history.epochs[i];
        CHECK(e.epoch == i + 1);
        CHECK(e.training_loss == told[i]);
        CHECK(e.validation_loss == scored[i]);
        CHECK(e.accuracy == right[i]);
        CHECK(e.seconds >= 0);
        CHECK(e.best == (e.validation_loss < least));
        CHECK(e.watched_loss() == e.validation_loss);
        least = std::min(least, e.validation_loss);
        seconds += e.seconds;
    }
    CHECK(seconds <= trainer.runtime());
    CHECK(history.best().validation_loss == least);

    told.clear();
    const History more = trainer.run(cpu({.threads = 2}), 2);  // the same without validation data, and of this run only
    REQUIRE(more.epochs.size() == 2);
    CHECK(more.epochs[0].epoch == 5);
    CHECK(more.epochs[1].training_loss == told[1]);
    CHECK(std::isnan(more.epochs[1].validation_loss));
    CHECK(std::isnan(more.epochs[1].accuracy));
    CHECK(history.epochs.size() == 4);
}

TEST_CASE("A run has one epoch unless it is said, and forever ends by a stop") {
    const Dataset data = labelled(10);
    auto trainer = trained_on<Classes>(data);
    CHECK(trainer.run(RunOptions{}).epochs.size() == 1);
    trainer.add(after(3, epoch).then(stop));
    CHECK(trainer.run({.epochs = RunOptions::forever}).epochs.size() == 3);
    trainer.start({.epochs = 2, .validation = data});
    trainer.wait();
    CHECK(trainer.history().epochs.size() == 2);
    CHECK(trainer.history().epochs.back().accuracy == trainer.evaluate(data).accuracy);
    trainer.reset().wait();
    CHECK(trainer.history().epochs.empty());
}

TEST_CASE("A network that does not classify has no accuracy") {
    const Dataset data = amounts(10);
    auto trainer = trained_on<Amounts>(data);
    const History history = trainer.run({.epochs = 1, .validation = data});
    CHECK(std::isnan(history.epochs[0].accuracy));
    CHECK(history.epochs[0].validation_loss == trainer.evaluate(data).error);
}

TEST_CASE("Options that do not fit a trainer are refused") {
    const Dataset data = labelled(10);
    auto trainer = trained_on<Classes>(data);
    CHECK(error_text<ArgumentError>([&] { trainer.run({.epochs = -1}); }) ==
          "run of trainer 'small': expected 0 epochs or more, found -1");
    CHECK(error_text<ArgumentError>([&] { trainer.run({.batch_size = 11}); }) ==
          "batch_size of a run of trainer 'small': expected from 1 to 10, or 0 for that of its minibatches, found 11");
    CHECK(trainer.run({.batch_size = 5}).epochs.size() == 1);
}

TEST_CASE("The best epoch has the least loss of validation, or of training where there is none") {
    History history;
    CHECK(error_text<StateError>([&] { (void)history.best(); }) ==
          "best epoch of a history: expected 1 finished epoch or more, found 0");
    history.add({.epoch = 1, .training_loss = NAN});
    history.add({.epoch = 2, .training_loss = 3});
    history.add({.epoch = 3, .training_loss = 3});
    history.add({.epoch = 4, .training_loss = 1, .validation_loss = 2});
    history.add({.epoch = 5, .training_loss = 0.5, .validation_loss = 4});
    CHECK(bests(history) == std::vector{true, true, false, true, false});
    CHECK(history.best().epoch == 4);
    history.add({.epoch = 6, .training_loss = 0.1, .validation_loss = NAN, .validated = true});
    CHECK(history.best().epoch == 4);  // and not what training says of an epoch whose validation is no number
    history.cut(3);
    CHECK(history.epochs.size() == 3);
    CHECK(history.best().epoch == 2);
}
