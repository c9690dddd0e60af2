// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/optimizer/adam.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cstring>

using namespace sigma;

namespace {

struct Classes : Network<Input(2, 3) + Dense(5, tanh) + Dense(3) + SoftmaxCE()> {};
struct Flowers : Network<Input(4) + Dense(8, tanh) + Dense(3) + SoftmaxCE()> {};
struct Lines : Network<Input(2) + Costs(Dense(2) + SquaredDiff(), named("sum", Dense(1) + SquaredDiff()))> {};

/// 2 x₀ + 1 and 4 x₁ - 1; x₀ + x₁
Model<Lines, double> lines() {
    Model<Lines, double> model;
    model.parameter<"1-dense.weights">() = Array<double>{{2, 0}, {0, 4}};
    model.parameter<"1-dense.biases">() = Array<double>{1, -1};
    model.parameter(2).fill(1);
    model.parameter(3).fill(0);
    return model;
}
std::string refused(const MaximiseOptions& options) {
    Model<Lines, double> model;
    return error_text<ArgumentError>([&] { maximise(model, Array<double>{0, 0}, options); });
}

}  // namespace

TEST_CASE("the gradient in the input is that of finite differences") {
    Model<Classes, double> model(5);
    detail::Session<double> executor(
        on_cpu::compiled_program<detail::Planned<detail::MaximisationProgram<Classes, 0>, on_cpu::lanes<double>>,
                                 double>);
    model.bind(executor);
    std::vector<double> x{0.3, -0.2, 0.7, -1.1, 0.5, 0.1}, target{0, 1, 0}, gradient(6), prediction(3);
    double distance = 0;
    executor.bind_input(0, x.data());
    executor.bind_input(1, target.data());
    executor.bind_output(0, &distance);
    executor.bind_output(1, gradient.data());
    executor.bind_output(2, prediction.data());
    executor.prepare(1);
    executor.run();
    const std::vector<double> exact = gradient;
    double expected = 0;
    for (std::size_t i = 0; i < 3; ++i) expected += (prediction[i] - target[i]) * (prediction[i] - target[i]);
    CHECK(distance == Approx(expected).epsilon(1e-12));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = x[i], h = 1e-5;
        x[i] = at + h, executor.run();
        const double above = distance;
        x[i] = at - h, executor.run();
        x[i] = at;
        CAPTURE(i);
        REQUIRE(std::abs(exact[i]) > 1e-4);
        CHECK(exact[i] == Approx((above - distance) / (2 * h)).epsilon(1e-6));
    }
}

TEST_CASE("the input of a linear network is found where it is known") {
    auto model = lines();
    const auto found = maximise(model, Array<double>{5, 7}, {.cost = 1e-10});
    CHECK(found.success);
    CHECK(found.cost <= 1e-10);
    CHECK(found.input(0) == Approx(2).margin(1e-5));
    CHECK(found.input(1) == Approx(2).margin(1e-5));
    CHECK(found.prediction(1) == Approx(7).margin(1e-5));
    CHECK(found.steps < 1024);

    const auto sum = maximise<1>(model, 3, {.cost = 1e-10});  // one output: a whole number is its value
    CHECK(sum.input(0) + sum.input(1) == Approx(3).margin(1e-5));
    CHECK(sum.prediction.shape() == std::vector<std::size_t>{1});
}

TEST_CASE("each class of a classifier can be maximised, and nothing of the model changes") {
    Model<Classes> model(7);
    for (float& w : model.parameter<"2-dense.weights">()) w *= 4;  // so that each class can be likely
    const std::vector<float> before(model.parameter_memory().begin(), model.parameter_memory().end());
    for (int c = 0; c < 3; ++c) {
        const auto found = maximise(model, c, {.rate = 0.05});
        CAPTURE(c, found.cost, found.steps);
        CHECK(found.success);
        CHECK(found.cost <= 0.06);
        CHECK(found.input.shape() == std::vector<std::size_t>{2, 3});
        Array<float> record = found.input;
        record.reshape({1, 2, 3});
        const Array<float> again = model.predict(record);
        for (std::size_t k = 0; k < 3; ++k) CHECK(again(0, k) == Approx(found.prediction(k)).margin(1e-6));
        CHECK(again(0, static_cast<std::size_t>(c)) > 0.7f);
        CHECK(maximise(model, c, {.rate = 0.05}).input == found.input);
        CHECK_FALSE(maximise(model, c, {.rate = 0.05, .seed = 1}).input == found.input);
    }
    CHECK(std::memcmp(before.data(), model.parameter_memory().data(), before.size() * sizeof(float)) == 0);
}

TEST_CASE("each class of a small trained classifier is found, whatever the seeds are") {
    const Dataset iris = data::iris();
    Array<float> x = iris.inputs();
    for (std::size_t k = 0; k < 4; ++k) {
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < 150; ++i) mean += x(i, k) / 150.0;
        for (std::size_t i = 0; i < 150; ++i) square += (x(i, k) - mean) * (x(i, k) - mean) / 150.0;
        for (std::size_t i = 0; i < 150; ++i) x(i, k) = static_cast<float>((x(i, k) - mean) / std::sqrt(square));
    }
    const Array<float> y = iris.targets();
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Model<Flowers> model(seed);
        BatchTrainer trainer(model, Adam{.learning_rate = 0.05});
        for (int step = 0; step < 300; ++step) trainer.train_on_batch(x, y);
        for (int c = 0; c < 3; ++c)
            for (std::uint64_t draw = 0; draw < 5; ++draw) {
                const auto found = maximise(model, c, {.seed = draw});
                CAPTURE(seed, c, draw, found.cost, found.steps, found.prediction(0), found.prediction(1));
                CHECK(found.success);
                CHECK(found.prediction(static_cast<std::size_t>(c)) > 0.75f);
            }
    }
}

TEST_CASE("bounds, penalties and the number of steps are kept") {
    auto model = lines();
    const xt::xtensor<float, 1> target{5, 7};  // any array
    const auto bounded = maximise(model, target, {.steps = 1000, .attempts = 3, .lowest = 0, .highest = 1});
    CHECK_FALSE(bounded.success);
    CHECK(bounded.steps > 600);  // each goes on for 200 steps once it is at the bounds, and not for the 1000 it may
    CHECK(bounded.steps < 2000);
    CHECK(bounded.input(0) == 1);
    CHECK(bounded.input(1) == 1);
    CHECK(bounded.cost == Approx(4 + 16));

    // (2 x₀ - 4)² + (4 x₁ - 8)² + λ x²: x₀ = 8 / (4 + λ), x₁ = 32 / (16 + λ)
    const auto decayed = maximise(model, target, {.steps = 4000, .cost = 100, .all_steps = true, .decay = 4});
    CHECK(decayed.success);
    CHECK(decayed.steps == 4000);
    CHECK(decayed.input(0) == Approx(1).margin(1e-3));
    CHECK(decayed.input(1) == Approx(1.6).margin(1e-3));

    // x₀ ≠ x₁ where the outputs are (5, 3), unless neighbours must be alike: 4 (x₀ - 2)² + 16 (x₁ - 1)²
    const auto smooth =
        maximise(model, Array<double>{5, 3}, {.steps = 4000, .cost = 100, .all_steps = true, .smoothing = 1e3});
    CHECK(smooth.input(0) == Approx(1.2).margin(5e-3));
    CHECK(smooth.input(1) == Approx(1.2).margin(5e-3));
}

TEST_CASE("smoothing joins neighbours along both axes of a picture") {
    MaximiseOptions options{.start_deviation = 1, .smoothing = 1, .seed = 3};
    std::vector<double> input(12), nothing(12, 0.0);
    detail::InputDescent<double> descent(options, Shape{batch, 2, 3, 2}, input);
    descent.begin(0);
    const auto at = [&](int row, int column, int channel) {
        return input[static_cast<std::size_t>(6 * row + 2 * column + channel)];
    };
    double expected = 0;
    for (int c = 0; c < 2; ++c) {
        for (int x = 0; x < 3; ++x) expected += std::pow(at(0, x, c) - at(1, x, c), 2);
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x) expected += std::pow(at(y, x, c) - at(y, x + 1, c), 2);
    }
    CHECK(descent.penalty() == Approx(expected).epsilon(1e-12));
    const double mean = (at(0, 0, 0) + at(0, 1, 0) + at(0, 2, 0) + at(1, 0, 0) + at(1, 1, 0) + at(1, 2, 0)) / 6;
    for (int i = 0; i < 5000; ++i) descent.step(nothing);
    CHECK(descent.penalty() < 1e-3);
    CHECK(at(1, 2, 0) == Approx(mean).margin(0.02));
    CHECK(std::abs(at(0, 0, 0) - at(0, 0, 1)) > 0.1);  // channels are no neighbours
}

TEST_CASE("targets and options that make no sense are named") {
    Model<Classes> model;
    CHECK_THROWS_WITH(maximise(model, 3), "target of maximise: expected a class from 0 to 2, found 3");
    CHECK_THROWS_WITH(maximise(model, -1), "target of maximise: expected a class from 0 to 2, found -1");
    CHECK_THROWS_WITH(maximise(model, Array<float>{0, 1}), "target of maximise: expected shape (3), found shape (2)");
    CHECK(refused({.steps = 0}) == "maximise with steps: expected 1 or more, found 0");
    CHECK(refused({.attempts = 0}) == "maximise with attempts: expected 1 or more, found 0");
    CHECK(refused({.cost = -1}) == "maximise with cost: expected a finite number, 0 or more, found -1");
    CHECK(refused({.rate = 0}) == "maximise with rate: expected a finite number above 0, found 0");
    CHECK(refused({.start_deviation = -2}) ==
          "maximise with start_deviation: expected a finite number, 0 or more, found -2");
    CHECK(refused({.decay = -1}) == "maximise with decay: expected a finite number, 0 or more, found -1");
    CHECK(refused({.smoothing = NAN}) == "maximise with smoothing: expected a finite number, 0 or more, found nan");
    CHECK(refused({.lowest = 1, .highest = 1}) ==
          "maximise with lowest and highest: expected a lowest below the highest element, found 1 and 1");
    model.parameter<"2-dense.biases">()(0) = NAN;
    CHECK_THROWS_WITH(maximise(model, 0), "maximise, step 0: expected a finite cost, found nan");
}
