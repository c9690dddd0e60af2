// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/trainer/fit.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <array>

using namespace sigma;

namespace {

struct Iris : Network<Input(4) + Dense(8, tanh) + Dense(3) + SoftmaxCE()> {};
struct Line : Network<Input(1) + Dense(1) + SquaredDiff()> {};

Fitted<Iris, Adam> iris(FitOptions options) {
    options.quiet = true;
    return fit(Iris{}, data::iris(), Adam{.learning_rate = 0.02}, options);
}
std::string refused(FitOptions options) {
    return error_text<ArgumentError>([&] { iris(std::move(options)); });
}

}  // namespace

// A second set of options, since designated initializers do not reach what is inherited: what a run is told has one
// name and one type in both. A new option of a run is one name too many for the binding.
static_assert(std::is_void_v<decltype([] {
    const auto& [epochs, batch_size, validation, device, stop_on_interrupt, quiet] = RunOptions{};
    static_cast<void>(epochs), static_cast<void>(batch_size), static_cast<void>(validation), static_cast<void>(device);
    static_cast<void>(stop_on_interrupt), static_cast<void>(quiet);
}())>);
template <class T, class... Option>
constexpr bool are_all = (std::is_same_v<T, Option> && ...);
static_assert(are_all<std::int64_t, decltype(RunOptions::epochs), decltype(FitOptions::epochs)>);
static_assert(are_all<std::int64_t, decltype(RunOptions::batch_size), decltype(FitOptions::batch_size)>);
static_assert(are_all<std::optional<Dataset>, decltype(RunOptions::validation), decltype(FitOptions::validation)>);
static_assert(are_all<Device, decltype(RunOptions::device), decltype(FitOptions::device)>);
static_assert(are_all<bool, decltype(RunOptions::stop_on_interrupt), decltype(FitOptions::stop_on_interrupt)>);
static_assert(are_all<bool, decltype(RunOptions::quiet), decltype(FitOptions::quiet)>);

TEST_CASE("Options of a run that fit has too are as there where nothing is said") {
    const RunOptions run;
    const FitOptions fitting;
    CHECK(fitting.validation.has_value() == run.validation.has_value());
    CHECK(fitting.device.name() == run.device.name());
    CHECK(fitting.stop_on_interrupt == run.stop_on_interrupt);
    CHECK(fitting.quiet == run.quiet);
    CHECK(fitting.epochs == 100);     // which early stopping ends; a run has one
    CHECK(fitting.batch_size == 32);  // of a run 0, which is 32 where there are no minibatches
}

TEST_CASE("fit learns iris, and ends with the parameters of the best epoch") {
    auto fitted = iris({.epochs = 200, .patience = 7});
    CHECK(fitted.evaluate(data::iris()).accuracy >= 0.95);

    const auto& history = fitted.history().epochs;
    REQUIRE(history.size() > 8);
    CHECK(fitted.stopped_early());
    CHECK(history.size() < 200);
    CHECK(fitted.trainer().epoch() == history.size());
    CHECK(fitted.best().epoch == history.size() - 7);
    double least = 1e9, seconds = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const EpochResult& e = history[i];
        CAPTURE(i);
        CHECK(e.epoch == i + 1);
        CHECK(e.best == (e.validation_loss < least));
        CHECK(e.seconds >= 0);
        least = std::min(least, e.validation_loss);
        seconds += e.seconds;
    }
    CHECK(seconds <= fitted.trainer().runtime());
    CHECK(history.front().training_loss > history.back().training_loss);
    CHECK(fitted.best().validation_loss == least);
    const auto score = fitted.evaluate(*fitted.validation());
    CHECK(score.error == least);  // the best parameters, not the last
    CHECK(score.accuracy == fitted.best().accuracy);
    CHECK(history.back().validation_loss != least);

    const auto probabilities = fitted.predict(Array<float>{{5.1f, 3.5f, 1.4f, 0.2f}});
    CHECK(probabilities(0, 0) > 0.9f);
}

TEST_CASE("a tenth of each class is kept for validation unless it is given") {
    const auto fitted = iris({.epochs = 1});
    std::array<int, 3> classes{};
    REQUIRE(fitted.validation()->size() == 15);
    for (std::size_t i = 0; i < 15; ++i) ++classes[fitted.validation()->label(i)];
    CHECK(classes == std::array{5, 5, 5});

    auto given = iris({.epochs = 2, .validation = data::iris()});
    CHECK(given.validation()->size() == 150);
    CHECK(given.trainer().minibatches().dataset.size() == 150);
    CHECK(given.trainer().batches_per_epoch() == 5);
    CHECK_FALSE(given.stopped_early());

    auto none = iris({.epochs = 2, .batch_size = 1000, .validation_share = 0});
    CHECK_FALSE(none.validation());
    CHECK(none.trainer().batches_per_epoch() == 1);
    CHECK(std::isnan(none.history().epochs[1].validation_loss));
    CHECK(std::isnan(none.history().epochs[1].accuracy));
    CHECK(none.best().epoch == 2);
}

TEST_CASE("one seed decides a fit, and plateaus halve its learning rate") {
    const auto errors = [](std::uint64_t seed) {
        std::vector<double> all;
        auto fitted = iris({.epochs = 40, .patience = 0, .plateau = 1, .seed = seed});
        for (const EpochResult& e : fitted.history().epochs) all.push_back(e.validation_loss);
        CHECK(all.size() == 40);
        CHECK(fitted.trainer().optimizer.learning_rate <= 0.01);
        return all;
    };
    const auto first = errors(1);
    CHECK(first == errors(1));
    CHECK(first != errors(2));
}

TEST_CASE("the checkpoint of a fit holds its best state") {
    const ScratchFile kept("fit.sigma");
    const std::string& file = kept.name;
    auto fitted = iris({.epochs = 100, .patience = 5, .checkpoint = file});
    REQUIRE(fitted.best().epoch < fitted.history().epochs.size());
    Model<Iris> model(9);
    CHECK(load_parameters(model, file) == 4);
    CHECK(Trainer<Iris, Adam>::evaluate(model, *fitted.validation()).error == fitted.best().validation_loss);
}

TEST_CASE("arrays, other optimizers and networks that do not classify fit too") {
    const xt::xarray<float> x = xt::linspace<float>(-1, 1, 64).reshape({64, 1});
    auto line = fit(Line{}, x, xt::xarray<float>(3 * x + 1), Adadelta{}, {.epochs = 3, .quiet = true});
    CHECK(line.history().epochs.size() == 3);
    CHECK(line.validation()->size() == 6);
    CHECK(std::isnan(line.history().epochs[0].accuracy));
    CHECK_FALSE(std::isnan(line.history().epochs[0].validation_loss));
    // Targets in a vector are those of an array.
    std::vector<float> y(64);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 3 * x(i, 0) + 1;
    const auto again = fit(Line{}, x, y, Adadelta{}, {.epochs = 3, .quiet = true});
    CHECK(again.model() == line.model());
    CHECK(again.evaluate(x, y).error == line.evaluate(x, xt::xarray<float>(3 * x + 1)).error);
    CHECK(minibatches(x, y, 8).dataset.size() == 64);
}

TEST_CASE("each epoch is a line") {
    const EpochResult first{.epoch = 3,
                            .training_loss = 0.12345,
                            .validation_loss = 0.25,
                            .accuracy = 0.9567,
                            .seconds = 0.418,
                            .best = true};
    CHECK(detail::fit_line(first, 20) ==
          "epoch  3/20   training loss 0.1235   validation loss 0.2500   accuracy 95.67 %   0.42 s   best");
    CHECK(detail::fit_line({.epoch = 100, .training_loss = 2}, 100) == "epoch 100/100   training loss 2.0000   0.00 s");
}

TEST_CASE("options of fit that make no sense are named") {
    CHECK(refused({.epochs = 0}) == "fit with epochs: expected 1 or more, found 0");
    CHECK(refused({.batch_size = 0}) == "fit with batch_size: expected 1 or more, found 0");
    CHECK(refused({.validation_share = 1}) == "fit with validation_share: expected 0 or more and less than 1, found 1");
    CHECK(refused({.patience = -1}) == "fit with patience: expected 0 or more, found -1");
    CHECK(refused({.plateau = -2}) == "fit with plateau: expected 0 or more, found -2");
    CHECK(
        refused({.validation_share = 1e-4}) ==
        "fit of 150 records with validation_share: expected 0, or a share of at least one record that leaves another, "
        "found 0.0001");
}
