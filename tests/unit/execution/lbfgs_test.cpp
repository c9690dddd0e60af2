// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/execution/lbfgs.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/wrappers.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

struct Line : Network<Input(3) + Dense(1) + MeanSquaredError()> {};
struct Curves : Network<Input(3) + Dense(6, tanh) + Dense(1) + MeanSquaredError()> {};
struct Chosen : Network<Input(3) + frozen(Dense(4, tanh)) + Dense(2) + SoftmaxCE()> {};

double rosenbrock(std::span<const double> x, std::span<double> g) {
    double total = 0;
    for (double& each : g) each = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        total += a * a + 100 * b * b;
        g[i] += -2 * a - 400 * x[i] * b;
        g[i + 1] += 200 * b;
    }
    return total;
}

/// Points, and a linear function of them with noise.
std::pair<std::vector<float>, std::vector<float>> points(std::size_t records) {
    std::vector<float> x(3 * records), noise(records), y(records);
    Philox(3).fill_normal(std::span(x));
    Philox(4).fill_normal(std::span(noise));
    for (std::size_t i = 0; i < records; ++i)
        y[i] = 2 * x[3 * i] - x[3 * i + 1] + 0.5f * x[3 * i + 2] + 0.7f + 0.1f * noise[i];
    return {x, y};
}
Dataset line() {
    auto [x, y] = points(50);
    return {{{50, 3}, std::move(x)}, {{50, 1}, std::move(y)}, "line"};
}
/// The minimum of mean (w·x + b - y)² + l2/2 · |w|², by Gaussian elimination: w, then b.
std::array<double, 4> ridge(double l2) {
    const auto [x, y] = points(50);
    double a[4][5]{};
    for (std::size_t r = 0; r < 50; ++r) {
        const double v[5]{x[3 * r], x[3 * r + 1], x[3 * r + 2], 1, y[r]};
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 5; ++j) a[i][j] += 2 * v[i] * v[j] / 50;
    }
    for (int i = 0; i < 3; ++i) a[i][i] += l2;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < 5; ++j) a[i][j] -= factor * a[k][j];
        }
    return {a[0][4] / a[0][0], a[1][4] / a[1][1], a[2][4] / a[2][2], a[3][4] / a[3][3]};
}

}  // namespace

TEST_CASE("Rosenbrock's valley is followed to its end") {
    for (const std::size_t n : {2u, 10u, 50u}) {
        std::vector<double> x(n, 1);
        for (std::size_t i = 0; i < n; i += 2) x[i] = -1.2;
        const LbfgsResult found =
            lbfgs(x, rosenbrock, {.iterations = 1000, .gradient_tolerance = 1e-8, .change_tolerance = 0});
        CHECK(found.end == LbfgsEnd::gradient);
        CHECK(found.value < 1e-14);
        for (const double at : x) CHECK(at == Approx(1).epsilon(1e-6));
        CHECK(found.iterations < (n == 2 ? 60 : n == 10 ? 130 : 400));
        CHECK(2 * found.evaluations < 3 * found.iterations);
    }
}

TEST_CASE("A quadratic of condition 10,000 ends at its minimum") {
    std::vector<double> x(20, 3.0);
    const auto bowl = [](std::span<const double> at, std::span<double> g) {
        double total = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double scale = std::pow(10.0, 4.0 * static_cast<double>(i) / 19), d = at[i] - static_cast<double>(i);
            total += 0.5 * scale * d * d;
            g[i] = scale * d;
        }
        return total;
    };
    const LbfgsResult found = lbfgs(x, bowl, {.history = 30, .gradient_tolerance = 1e-7, .change_tolerance = 0});
    CHECK(found.end == LbfgsEnd::gradient);
    for (std::size_t i = 0; i < 20; ++i) CHECK(x[i] == Approx(static_cast<double>(i)).margin(1e-6));
}

TEST_CASE("Every end has its name") {
    std::vector<double> x{-1.2, 1};
    CHECK(lbfgs(x, rosenbrock, {.iterations = 3}).end == LbfgsEnd::iterations);
    CHECK(lbfgs(x, rosenbrock, {.change_tolerance = 1e6}).end == LbfgsEnd::change);
    x = {1, 1};
    CHECK(lbfgs(x, rosenbrock).iterations == 0);
    // Its gradient points the wrong way.
    x = {1};
    const auto wrong = [](std::span<const double> at, std::span<double> g) {
        g[0] = -2 * at[0];
        return at[0] * at[0];
    };
    CHECK(lbfgs(x, wrong).end == LbfgsEnd::no_descent);
    CHECK(x[0] == 1);
    // What is not finite is too far.
    x = {1};
    const auto barrier = [](std::span<const double> at, std::span<double> g) {
        g[0] = 1 - 0.001 / at[0];
        return at[0] > 0 ? at[0] - 0.001 * std::log(at[0]) : NAN;
    };
    lbfgs(x, barrier);
    CHECK(x[0] == Approx(0.001).epsilon(1e-3));
}

TEST_CASE("A linear network with a penalty ends at ridge regression's closed form") {
    for (const double l2 : {0.0, 0.5}) {
        const Dataset data = line();
        // [lbfgs]
        Model<Line, double> model(1);
        const LbfgsResult found = lbfgs(model, data, {.gradient_tolerance = 1e-9, .change_tolerance = 0, .l2 = l2});
        // [lbfgs]
        CHECK(found.end == LbfgsEnd::gradient);
        const auto wanted = ridge(l2);
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(model.parameter<"1-dense.weights">()(i, 0) == Approx(wanted[i]).epsilon(1e-7));
        CHECK(model.parameter<"1-dense.biases">()(0) == Approx(wanted[3]).epsilon(1e-7));
    }
    Model<Line> single(1);
    lbfgs(single, line());
    const auto wanted = ridge(0);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(single.parameter<"1-dense.weights">()(i, 0) == Approx(wanted[i]).epsilon(1e-3));
}

TEST_CASE("Networks get better with each step, frozen layers stay, and the data's classes are the model's") {
    Model<Curves, double> model(2);
    const Dataset data = line();
    double before = lbfgs(model, data, {.iterations = 0}).value;
    CHECK(before > 0.1);
    for (int i = 0; i < 3; ++i) {
        const LbfgsResult now = lbfgs(model, data, {.iterations = 20});
        CHECK(now.value < before);
        before = now.value;
    }
    CHECK(before < 0.01);

    Numbers labels{{50}, {}};
    for (std::size_t i = 0; i < 50; ++i) labels.values.push_back(static_cast<float>(data.target(i)[0] > 0.7f));
    Model<Chosen> chosen(3);
    const Model<Chosen> first(chosen);
    lbfgs(chosen, {{{50, 3}, points(50).first}, labels, "sides", {"no", "yes"}}, {.iterations = 10});
    CHECK(chosen.classes() == std::vector<std::string>{"no", "yes"});
    CHECK(chosen.parameter(0)(0, 0) == Model<Chosen>(first).parameter(0)(0, 0));
    CHECK(chosen.parameter(2)(0, 0) != Model<Chosen>(first).parameter(2)(0, 0));
}

TEST_CASE("What makes no sense is refused") {
    std::vector<double> x{1, 2};
    CHECK(error_text<ArgumentError>([&] { lbfgs(x, rosenbrock, {.history = 0}); }) ==
          "lbfgs with history: expected 1 or more, found 0");
    CHECK_THROWS_AS(lbfgs(x, [](std::span<const double>, std::span<double>) { return NAN; }), ArgumentError);
    Model<Line, double> model(1);
    CHECK(error_text<ArgumentError>([&] { lbfgs(model, line(), {.l2 = 1, .penalized = "*.weihgts"}); }) ==
          "lbfgs with l2: expected a pattern that matches a parameter, found '*.weihgts'; parameters: "
          "'1-dense.weights', '1-dense.biases'");
    Model<Chosen, double> part(1);
    const Dataset two(Numbers{{2, 3}, {1, 2, 3, 4, 5, 6}}, Numbers{{2}, {0, 1}}, "two");
    CHECK(error_text<ArgumentError>([&] { lbfgs(part, two, {.l2 = 1, .penalized = "1-*"}); }) ==
          "lbfgs with l2: expected a pattern that matches a parameter, found '1-*'; parameters: '2-dense.weights', "
          "'2-dense.biases'");  // those that are trained
}

TEST_CASE("A gradient that is no number is no end that was sought") {
    std::vector<double> x{1};
    const auto found = lbfgs(x, [](std::span<const double> at, std::span<double> gradient) {
        gradient[0] = at[0] >= 0.5 ? 1 : NAN;
        return at[0];
    });
    CHECK(found.end != LbfgsEnd::gradient);
    CHECK(x[0] >= 0.5);
}
