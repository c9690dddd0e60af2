// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/trainer/fit.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <array>
#include <numeric>

using namespace sigma;

namespace {

struct Iris : Network<Input(4) + Dense(8, tanh) + Dense(3) + SoftmaxCE()> {};
struct Line : Network<Input(1) + Dense(1) + SquaredDiff()> {};
struct Survived : Network<Input(1) + Dense(1) + BinaryCE()> {};
struct Sold
    : Network<Input(1) + Costs(named("price", Dense(1) + SquaredDiff()), named("kind", Dense(2) + SoftmaxCE()))> {};

/// Returns 100 targets: the last `ones` are 1, the others are `zero`.
Numbers rare(std::size_t ones, std::vector<std::size_t> shape, float zero = 0) {
    Numbers y{std::move(shape), std::vector<float>(100, zero)};
    std::fill(y.values.end() - static_cast<std::ptrdiff_t>(ones), y.values.end(), 1.0f);
    return y;
}
const Numbers one_to_100 = [] {
    Numbers x{{100}, std::vector<float>(100)};
    std::iota(x.values.begin(), x.values.end(), 1.0f);
    return x;
}();
std::size_t ones_in(const Dataset& data, std::size_t which = 0) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.size(); ++i) count += data.target(i, which)[0] == 1;
    return count;
}

Fitted<Iris, Adam> iris(FitOptions options) {
    options.quiet = true;
    return fit(Iris{}, data::iris(), Adam{.learning_rate = 0.02}, options);
}
std::string refused(FitOptions options) {
    return error_text<ArgumentError>([&] { iris(std::move(options)); });
}

}  // namespace

// FitOptions repeats the members of RunOptions with equal names and types, since designated initializers do not reach
// inherited members. A new member of RunOptions does not compile here.
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

TEST_CASE("classes are those of the first loss that knows right from wrong, however its targets lie") {
    for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{100}, {100, 1}})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const auto fitted = fit(Survived{}, Dataset(one_to_100, rare(10, shape), "ship"),
                                    {.epochs = 1, .quiet = true, .seed = seed});
            CHECK(fitted.validation()->size() == 10);
            CHECK(ones_in(*fitted.validation()) == 1);
        }
    // Prices and probabilities are not classes, whatever their place.
    for (const bool price_first : {true, false})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            std::vector<NamedNumbers> sold{{"price", one_to_100}, {"kind", rare(10, {100})}};
            if (!price_first) std::swap(sold[0], sold[1]);
            const auto fitted =
                fit(Sold{}, Dataset({{"", one_to_100}}, sold, "shop"), {.epochs = 1, .quiet = true, .seed = seed});
            CHECK(fitted.validation()->size() == 10);
            CHECK(ones_in(*fitted.validation(), price_first ? 1 : 0) == 1);
        }
    const Dataset soft(one_to_100, rare(10, {100}, 0.5f), "soft");
    CHECK(fit(Survived{}, soft, {.epochs = 1, .quiet = true}).validation()->size() == 10);
}

TEST_CASE("where the classes of a network's records are") {
    struct Weighed : Network<Input(1) + Dense(1) + weighted_records(BinaryCE())> {};
    struct Margin : Network<Input(1) + Dense(1) + Hinge()> {};
    struct Several : Network<Input(1) + Dense(2) + BinaryCE()> {};
    const auto in = [](const auto& network, const Dataset& data) {
        return detail::classes_in(detail::table_of(network), data);
    };
    const Dataset column(one_to_100, rare(10, {100, 1}), "ship"), labels(one_to_100, rare(10, {100}), "ship");
    CHECK(in(Survived{}, column) == 0);
    CHECK(in(Margin{}, labels) == 0);
    CHECK(in(Weighed{}, with_weights(column, std::vector<double>(100, 0.3))) == 0);
    CHECK(in(Weighed{}, with_weights(labels, std::vector<double>(100, 0.3))) == 0);
    CHECK_FALSE(in(Line{}, labels));
    CHECK_FALSE(in(Survived{}, Dataset(one_to_100, rare(10, {100}, 0.5f), "soft")));
    CHECK_FALSE(in(Several{}, Dataset(one_to_100, Numbers{{100, 2}, std::vector<float>(200)}, "two")));
    CHECK(error_text([&] { in(Sold{}, labels); }) ==
          "dataset 'ship': expected 1 input and 2 targets, found 1 input and 1 target");
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
    // Targets in a vector equal those in an array.
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
    CHECK(refused({.validation_share = 1e-4}) ==
          "fit of 150 records with validation_share: expected 0, or 1 record or more for training and for validation, "
          "found 0.0001");
}
