// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/rmsprop.hpp>

#include <catch2/catch.hpp>
#include <support/direct_step.hpp>

#include <cmath>

using namespace sigma;

namespace {

namespace reference {
#include <unit/optimizer/reference.inc>
}  // namespace reference

struct Line : Network<Input(3) + Dense(2) + SquaredDiff()> {};

/// Ten steps with another learning rate in each. `tolerance` is absolute; all numbers are of the order of 1.
template <class T>
void examine(auto optimizer, const double (&expected)[10][9], double tolerance) {
    const T x[] = {0.5, -1.0, 2.0, 1.5, 0.25, T(-0.75), -0.5, 1.0, 1.25, 2.0, -0.125, 0.375};
    const T y[] = {1.0, -2.0, 0.5, 0.25, -1.5, 1.0, 0.75, -0.5};
    Model<Line, T> model;
    model.template parameter<"1-dense.weights">() = Array<T>{{T(0.1), T(-0.2)}, {T(0.3), T(0.4)}, {T(-0.5), T(0.6)}};
    model.template parameter<"1-dense.biases">() = Array<T>{T(0.05), T(-0.15)};
    sigma::test::DirectStep<Line, decltype(optimizer), T> step(model);
    const auto near = [&](double wanted) { return Approx(wanted).epsilon(0).margin(tolerance); };
    const double rate = optimizer.learning_rate;
    for (std::size_t t = 0; t < 10; ++t) {
        INFO("step " << t + 1);
        optimizer.learning_rate = rate * (1 - 0.05 * static_cast<double>(t));
        CHECK(step(optimizer, t + 1, x, y, 4) == near(expected[t][0]));
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(static_cast<double>(model.parameter(0)(i / 2, i % 2)) == near(expected[t][1 + i]));
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(static_cast<double>(model.parameter(1)(i)) == near(expected[t][7 + i]));
    }
}
void check_both(auto optimizer, const double (&expected)[10][9], double float_tolerance = 2e-6) {
    examine<double>(optimizer, expected, 1e-13);
    examine<float>(optimizer, expected, float_tolerance);  // some ulps of numbers up to 4, for each of ten steps
}

}  // namespace

TEST_CASE("Gradient descent takes the textbook's steps") {
    check_both(GradientDescent{.learning_rate = 0.05}, reference::gradient_descent);
}
TEST_CASE("Momentum takes the textbook's steps") { check_both(Momentum{.learning_rate = 0.02}, reference::momentum); }
TEST_CASE("Nesterov takes the textbook's steps") { check_both(Nesterov{.learning_rate = 0.02}, reference::nesterov); }
TEST_CASE("Adagrad takes the textbook's steps") { check_both(Adagrad{.learning_rate = 0.1}, reference::adagrad); }
TEST_CASE("RMSprop takes the textbook's steps") {
    check_both(RMSprop{.learning_rate = 0.02, .decay = 0.9}, reference::rmsprop);
}
TEST_CASE("Adadelta takes the textbook's steps") { check_both(Adadelta{}, reference::adadelta); }
TEST_CASE("Adam takes the textbook's steps") {
    // a small gradient, known to fewer digits, is divided by its own size
    check_both(Adam{.learning_rate = 0.1}, reference::adam, 2e-5);
}
TEST_CASE("AdamW takes the textbook's steps") {
    check_both(AdamW{.learning_rate = 0.1, .weight_decay = 0.05}, reference::adamw, 2e-5);
}

TEST_CASE("NAdam takes the textbook's steps") { check_both(NAdam{.learning_rate = 0.1}, reference::nadam, 2e-5); }
TEST_CASE("RAdam takes the textbook's steps, first without a variance") {
    check_both(RAdam{.learning_rate = 0.1}, reference::radam, 2e-5);
}
TEST_CASE("Lion takes the textbook's steps") {
    check_both(Lion{.learning_rate = 0.05, .weight_decay = 0.05}, reference::lion);
}
TEST_CASE("The scalars of NAdam are those of the product over all steps, however many there were") {
    const NAdam optimizer{.learning_rate = 1};
    for (const double decay : {0.004, 0.0, 3.0}) {
        NAdam other = optimizer;
        other.momentum_decay = decay;
        long double product = 1;
        for (int t = 1; t <= 500; ++t) {
            const auto momentum = [&](int i) {
                return 0.9L * (1 - 0.5L * std::pow(0.96L, static_cast<long double>(decay) * i));
            };
            product *= momentum(t);
            const auto scalars = other.scalars(static_cast<std::uint64_t>(t));
            CHECK(scalars[0] ==
                  Approx(static_cast<double>(momentum(t + 1) / (1 - product * momentum(t + 1)))).epsilon(1e-14));
            CHECK(scalars[1] == Approx(static_cast<double>((1 - momentum(t)) / (1 - product))).epsilon(1e-14));
        }
    }
    CHECK(NAdam{.beta1 = 0}.scalars(1)[0] == 0);
    CHECK(NAdam{}.scalars(1'000'000'000)[1] == Approx(0.002 * (1 - 0.9)));
}

TEST_CASE("Optimizer states start at zero and can be read and written") {
    Model<Line, double> model(7);
    sigma::test::DirectStep<Line, Momentum, double> step(model);
    CHECK(step.states.size() == 2);
    CHECK(std::string(step.states[1].name.view()) == "velocity");
    CHECK(step.states[1].parameter == 1);
    CHECK(step.state(0) == Array<double>::from_shape({3, 2}));
    const double x[] = {1, 2, 3}, y[] = {0, 0};
    step(Momentum{}, 1, x, y, 1);
    CHECK_FALSE(step.state(0) == Array<double>::from_shape({3, 2}));
    CHECK(step.state(0).shape(0) == 3);
    CHECK(step.state(0).shape(1) == 2);
    // A velocity of our own, without a gradient: the step is μ·v.
    const auto z = model.predict(Array<double>{{1, 2, 3}});
    step.state(0).fill(1);
    step.state(1).fill(0);
    const Array<double> before(model.parameter(0));
    step(Momentum{.momentum = 0.5}, 2, x, z.data(), 1);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) CHECK(model.parameter(0)(i, j) - before(i, j) == Approx(0.5));
    CHECK_THROWS_WITH(step.state(2), "optimizer state of the network: expected a position from 0 to 1, found 2");
}
