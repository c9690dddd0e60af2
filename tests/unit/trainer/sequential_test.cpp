// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/sequential.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <xtensor/xview.hpp>

#include <cmath>
#include <limits>

using namespace sigma;

namespace {

/// Returns three classes, each with another large feature of four.
xt::xtensor<double, 2> features(std::size_t records = 30) {
    xt::xtensor<double, 2> x = xt::zeros<double>({records, std::size_t{4}});
    for (std::size_t i = 0; i < records; ++i)
        for (std::size_t k = 0; k < 4; ++k) x(i, k) = (i % 3 == k ? 1 : 0) + 0.003 * static_cast<double>(i);
    return x;
}
xt::xtensor<int, 1> classes(std::size_t records = 30) {
    xt::xtensor<int, 1> y = xt::zeros<int>({records});
    for (std::size_t i = 0; i < records; ++i) y(i) = static_cast<int>(i % 3);
    return y;
}

struct Spelt : Network<Input(4) + Dense(8, sigmoid) + Dropout(0.25) + Dense(3) + SoftmaxCE()> {};
const auto words = Sequential(Input(4)).dense(8, sigmoid).dropout(0.25).dense(3).loss(losses::softmax_ce);

std::vector<double> training_losses(const History& history) {
    std::vector<double> all;
    for (const EpochResult& e : history.epochs) all.push_back(e.training_loss);
    return all;
}

/// Returns whether a sequential network is that of an expression.
bool is(const auto& expected, const detail::SequentialWithLoss& found) {
    return network(expected).made().training_fingerprint() ==
           found.optimizer(Adam{}).model().definition().made().training_fingerprint();
}
struct Twice {
    constexpr auto operator()(auto x) const { return x + x; }
};

}  // namespace

TEST_CASE("The words of a Sequential are the layers of the network language") {
    CHECK(is(Input(4) + Dense(8, sigmoid) + Dropout(0.25) + Dense(3) + SoftmaxCE(), words));
    CHECK(is(Input(4) + Dense(3) + SoftmaxCE({.smoothing = 0.1}),
             Sequential(Input(4)).dense(3).loss(SoftmaxCE({.smoothing = 0.1}))));
    CHECK(is(Input(8, 8) + Conv2D(4, 3, relu) + MaxPool(2) + BatchNorm() + Flatten() + Dense(2) + SoftmaxCE(),
             Sequential(Input(8, 8))
                 .conv2d(4, 3, relu)
                 .max_pool(2)
                 .batch_norm()
                 .flatten()
                 .dense(2)
                 .loss(losses::softmax_ce)));
    CHECK(is(Input(8, 8, 1) + Conv2D(4, {3, 5}, relu, {.padding = same}) + AveragePool(2) + GlobalAveragePool() +
                 Dense(1) + BinaryCE(),
             Sequential(Input(8, 8, 1))
                 .conv2d(4, {3, 5}, relu, {.padding = same})
                 .average_pool(2)
                 .global_average_pool()
                 .dense(1)
                 .loss(losses::binary_ce)));
    CHECK(is(
        Input(5) + Embedding(9, 4) + LSTM(3) + GRU(2, {.last = true}) + LayerNorm() + Dense(1) + Huber(),
        Sequential(Input(5)).embedding(9, 4).lstm(3).gru(2, {.last = true}).layer_norm().dense(1).loss(losses::huber)));
    CHECK(is(Input(4) + Residual(2 * Dense(4)) + Dense(2, Twice{}) + Twice{} + MeanSquaredError(),
             Sequential(Input(4)).add(Residual(2 * Dense(4))).dense(2, Twice{}).add(Twice{}).loss(losses::rmse)));
    CHECK(is(Input(4) + Dense(2, identity, {.bias = false}) + SquaredDiff(),
             Sequential(Input(4)).dense(2, identity, {.bias = false}).loss(losses::squared_diff)));
    CHECK(is(Input(4) + Dense(2) + AbsoluteError(), Sequential(Input(4)).dense(2).loss(losses::absolute_error)));
    CHECK_FALSE(is(Input(4) + Dense(2) + SquaredDiff(), Sequential(Input(4)).dense(3).loss(losses::squared_diff)));
}

TEST_CASE("A Sequential takes its sizes from the data, and its depth from the program") {
    Sequential layers;
    for (const int width : {6, 5}) layers.dense(width, tanh);
    auto network = layers.dense(3).loss(losses::softmax_ce).optimizer(Adam{}, element<float>, 7);
    const char* const unknown =
        "a sequential network: expected an Input, as in Sequential(Input(4)), or a call of train before, found "
        "neither, "
        "so that the shape of a record is unknown";
    CHECK_THROWS_WITH(network.predict(features()), unknown);
    CHECK_THROWS_WITH(network.summary(), unknown);
    CHECK_THROWS_AS(network.evaluate(features(), classes()), StateError);
    network.train(features(), classes());

    auto spelt = Sequential(Input(4))
                     .dense(6, tanh)
                     .dense(5, tanh)
                     .dense(3)
                     .loss(losses::softmax_ce)
                     .optimizer(Adam{}, element<float>, 7);
    spelt.train(features(), classes());
    CHECK(network.summary() == spelt.summary());
    CHECK((network.predict(features()) == spelt.predict(features())));
    CHECK_THROWS_AS(network.train(xt::xtensor<double, 2>(xt::zeros<double>({30, 5})), classes()), ShapeError);

    auto images = Sequential().conv2d(2, 3).dense(2).loss(losses::softmax_ce).optimizer(Adam{});
    CHECK_THROWS_AS(images.train(features(), classes()), MistakeError);  // no images
    const xt::xtensor<float, 3> squares = xt::ones<float>({4, 5, 5});
    images.train(squares, classes(4) % 2);
    CHECK(images.predict(squares).shape() == std::vector<std::size_t>{4, 2});
    CHECK_THROWS_AS(Sequential(Input(2, 2)).conv2d(2, 3).loss(losses::rmse).optimizer(Adam{}), MistakeError);
}

TEST_CASE("A trained network evaluates metrics by their words") {
    auto network = Sequential().dense(1).loss(losses::rmse).optimizer(Adam{});
    const auto x = features();
    const xt::xtensor<double, 2> y = xt::view(x, xt::all(), xt::range(0, 1)) * 2.0;
    network.train(x, y, {.epochs = 3});
    const auto p = network.predict(x);
    double squares = 0, distances = 0;
    for (std::size_t i = 0; i < 30; ++i) {
        const double d = static_cast<double>(p(i, 0)) - static_cast<double>(static_cast<float>(y(i, 0)));
        squares += d * d;
        distances += std::abs(d);
    }
    const MetricScores scores = network.evaluate(x, y, regression);
    CHECK(scores["rmse"] == Approx(std::sqrt(squares / 30)).epsilon(1e-12));
    CHECK(scores["mae"] == Approx(distances / 30).epsilon(1e-12));
    CHECK(scores.values().size() == 3);
    CHECK(network.evaluate(make_dataset(x, y), regression)["rmse"] == scores["rmse"]);
    CHECK(scores["rmse"] == Approx(std::sqrt(network.evaluate(x, y).error)).epsilon(1e-5));
    CHECK_THROWS_WITH(scores["RMSE"], "value of a metric: expected one of rmse, mae, r2, found 'RMSE'");
    CHECK_THROWS_AS(network.evaluate(x, y, top<1>), MistakeError);

    Trainer trainer("named", Spelt{}, Adam{}, minibatches(features(), classes(), 8));
    const auto shares = trainer.evaluate(trainer.minibatches().dataset, top<1, 3>, of_cost<"softmax_ce">(top<2>));
    CHECK(shares["top1"] == Approx(trainer.evaluate(trainer.minibatches().dataset).accuracy));
    CHECK(shares["top3"] == 1);
    CHECK(shares.values().back().first == "softmax_ce.top2");
}

TEST_CASE("A Sequential takes the steps of a trainer, bit by bit") {
    auto network = words.optimizer(Adam{.learning_rate = 0.02}, element<float>, 7);
    const auto x = features();
    const auto y = classes();
    const auto history = network.train(x, y, {.epochs = 4, .batch_size = 8});

    Trainer trainer("named", Spelt{}, Adam{.learning_rate = 0.02}, minibatches(make_dataset(x, y), 8, 7),
                    element<float>, 7);
    std::vector<double> losses;
    trainer.on_epoch([&](auto& t) { losses.push_back(t.training_loss()); });
    trainer.run(cpu(), 4);
    CHECK(training_losses(history) == losses);
    CHECK(history.epochs.size() == 4);
    for (const EpochResult& e : history.epochs) CHECK(std::isnan(e.validation_loss));
    CHECK((network.predict(x) == trainer.predict(x)));
    CHECK(network.evaluate(x, y).error == trainer.evaluate(make_dataset(x, y)).error);
    CHECK(network.summary() == summary<Spelt>());

    // Calls go on where the one before ended, with what may have changed since.
    network.optimizer().learning_rate = 0.005;
    trainer.optimizer.learning_rate = 0.005;
    auto moved = std::move(network);
    const auto more = moved.train(make_dataset(x, y), {.epochs = 3, .batch_size = 8, .device = cpu({.threads = 2})});
    trainer.run(cpu(), 3);
    CHECK(training_losses(more) == std::vector<double>(losses.begin() + 4, losses.end()));
    CHECK((moved.predict(x) == trainer.predict(x)));
    CHECK(moved.trainer().epoch() == 7);
}

TEST_CASE("A Sequential learns, and scores validation data after each epoch") {
    auto network =
        Sequential(Input(4)).dense(8, tanh).dense(3).loss(losses::softmax_ce).optimizer(Adam{.learning_rate = 0.05});
    const auto x = features();
    const auto y = classes();
    const auto untrained = network.predict(x);
    CHECK(network.evaluate(x, y).error > 0.9);
    const auto history =
        network.train(x, y, {.epochs = 30, .batch_size = 8, .validation = make_dataset(features(9), classes(9))});
    CHECK(history.epochs.front().training_loss > 0.5);
    CHECK(history.epochs.back().training_loss < 0.1);
    REQUIRE(history.epochs.size() == 30);
    for (const EpochResult& e : history.epochs) CHECK(std::isfinite(e.validation_loss));
    CHECK(history.epochs.back().accuracy == 1);
    CHECK(history.epochs.back().validation_loss == network.evaluate(features(9), classes(9)).error);
    CHECK(network.evaluate(x, y).accuracy == 1);
    CHECK(std::isnan(
        network.train(x, y, {.batch_size = 8}).epochs.at(0).validation_loss));  // asked for anew in each call
    CHECK_FALSE(xt::allclose(to_xtensor(untrained), to_xtensor(network.predict(x))));
}

TEST_CASE("A prediction before training is that of the initial parameters, from which training starts") {
    auto network = words.optimizer(GradientDescent{.learning_rate = 0}, element<float>, 3);
    const auto x = features();
    Model<Spelt> model(3);
    CHECK((network.predict(x) == model.predict(x)));
    network.model().parameter<"1-dense.biases">() = xt::ones<float>({8});
    const auto changed = network.predict(x);
    CHECK((changed != model.predict(x)));
    network.train(x, classes());
    CHECK((network.predict(x) == changed));
    CHECK(network.model().parameter<"1-dense.biases">()(0) == 1);
}

TEST_CASE("With other data the parameters stay and the optimizer begins anew") {
    auto network = words.optimizer(clip_gradient_norm(Adam{.learning_rate = 0.02}, 1));
    const auto x = features();
    network.train(x, classes(), {.epochs = 2});
    const auto before = network.predict(x);
    network.optimizer().learning_rate = 0;
    network.optimizer().norm_limit = 0.5;
    network.train(features(12), classes(12), {.epochs = 2});
    CHECK((network.predict(x) == before));
    CHECK(network.optimizer().norm_limit == 0.5);
    CHECK(network.trainer().epoch() == 2);
    network.train(features(12), classes(12), {.batch_size = 4});
    CHECK(network.trainer().epoch() == 1);
    auto other = classes(12);
    other(5) = 0;
    network.train(features(12), other, {.batch_size = 4});
    CHECK(network.trainer().epoch() == 1);
    network.train(features(12), other, {.batch_size = 4});
    CHECK(network.trainer().epoch() == 2);
    CHECK((network.predict(x) == before));
}

TEST_CASE("A single record is predicted without the axis of records") {
    auto network = words.optimizer(Adam{}, element<double>, 1);
    const auto x = features();
    const Array<double> all = network.predict(x);
    const xt::xtensor<double, 1> record = xt::view(x, 2);
    const Array<double> one = network.predict(record);
    REQUIRE(one.dimension() == 1);
    REQUIRE(one.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) CHECK(one(k) == Approx(all(2, k)).epsilon(1e-12));
    CHECK_THROWS_WITH(network.predict(xt::xtensor<double, 1>{1, 2, 3}),
                      "inputs of the network: expected shape (records, 4), found shape (1, 3)");
}

TEST_CASE("Yes and no are taught by class numbers, without an axis of their own") {
    auto network = Sequential().dense(1).loss(losses::binary_ce).optimizer(Adam{.learning_rate = 0.1});
    xt::xtensor<int, 1> yes = xt::equal(classes(), 1);
    network.train(features(), yes, {.epochs = 80, .batch_size = 10});
    const auto p = network.predict(features());
    for (std::size_t i = 0; i < 30; ++i) CHECK((p(i, 0) > 0.5f) == (yes(i) == 1));
}

TEST_CASE("What does not fit is said as by a trainer") {
    auto network = words.optimizer(Adam{});
    CHECK_THROWS_WITH(network.trainer(),
                      "trainer of a sequential network: there is none before the first call of train");
    CHECK_THROWS_WITH(network.train(features(), classes(), {.batch_size = -1}),
                      "training of a sequential network: expected a batch size of 1 or more, or 0 for 32, found -1");
    CHECK_THROWS_AS(network.train(features(), classes(29)), DataError);
    CHECK_THROWS_AS(network.train(classes(), classes()), ShapeError);
    auto wrong = classes();
    wrong(4) = 3;
    CHECK_THROWS_WITH(network.train(features(), wrong),
                      "dataset 'data', record 4: expected a label from 0 to 2, found 3");
    CHECK(network.train(features(), classes(), {.batch_size = 1000}).epochs.size() == 1);  // as many as there are
    CHECK(network.trainer().batches_per_epoch() == 1);

    // A call that throws leaves nothing behind that the next would write to.
    network.optimizer().learning_rate = 1e39;  // infinite as a float
    CHECK_THROWS_AS(network.train(features(), classes(), {.epochs = 20, .batch_size = 1000}), NumericError);
    network.optimizer().learning_rate = 0.001;
    CHECK_NOTHROW(network.trainer().run(cpu(), 1));
}
