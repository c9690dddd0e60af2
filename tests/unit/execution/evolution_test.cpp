// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/evaluator.hpp>
#include <sigma/execution/evolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/wrappers.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

using namespace sigma;

namespace {

struct Xor : Network<Input(2) + Dense(3, tanh) + Dense(1) + SquaredDiff()> {};
struct HalfFrozen : Network<Input(2) + frozen(Dense(3, tanh)) + Dense(1) + SquaredDiff()> {};

using Vector = std::vector<double>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double sphere(std::span<const double> x) {
    double sum = 0;
    for (const double each : x) sum += each * each;
    return sum;
}
double rosenbrock(std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
        sum += std::pow(1 - x[i], 2) + 100 * std::pow(x[i + 1] - x[i] * x[i], 2);
    return sum;
}
/// Axes whose condition number is 1e6.
double ellipsoid(std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += std::pow(1e6, static_cast<double>(i) / static_cast<double>(x.size() - 1)) * x[i] * x[i];
    return sum;
}
double rastrigin(std::span<const double> x) {
    double sum = 0;
    for (const double each : x) sum += 10 + each * each - 10 * std::cos(2 * std::numbers::pi * each);
    return sum;
}
/// All numbers at which a search evaluates f.
template <class Search>
std::vector<Vector> path(Search search) {
    std::vector<Vector> all;
    search([&](std::span<const double> x) { all.emplace_back(x.begin(), x.end()); });
    return all;
}

const auto x_of_xor = [] { return Array<float>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}; };
const auto y_of_xor = [] { return Array<float>{{0}, {1}, {1}, {0}}; };

}  // namespace

TEST_CASE("CMA-ES needs as many evaluations as its author reports") {
    // Hansen and Ostermeier 2001 and the tutorial's pages: about 1,700, 5,500 and 4,200 in ten dimensions.
    for (const std::uint64_t seed : {1u, 2u}) {
        CAPTURE(seed);
        Vector x(10, 1);
        EvolutionResult found = cma_es(x, sphere, {.step_size = 0.5, .target = 1e-10, .seed = seed});
        CHECK(found.end == EvolutionEnd::target);
        CHECK(found.value <= 1e-10);
        CHECK(found.value == sphere(x));
        CHECK(found.evaluations < 2200);
        CHECK(found.evaluations == 10 * found.generations);  // 4 + ⌊3 ln 10⌋
        x.assign(10, 0);
        found = cma_es(x, rosenbrock, {.step_size = 0.5, .target = 1e-10, .seed = seed});
        CHECK(found.value <= 1e-10);
        CHECK(found.evaluations < 8000);
        for (const double each : x) CHECK(each == Approx(1).margin(1e-4));
        x.assign(10, 1);
        found = cma_es(x, ellipsoid, {.step_size = 0.5, .target = 1e-10, .seed = seed});
        CHECK(found.value <= 1e-10);
        CHECK(found.evaluations < 5500);
    }
}

TEST_CASE("CMA-ES learns dependences, which a diagonal covariance cannot") {
    const auto turned = [](std::span<const double> x) {  // two coordinates of each pair, turned by 45°
        Vector y(x.begin(), x.end());
        for (std::size_t i = 0; i + 1 < y.size(); i += 2) y[i] = x[i] + x[i + 1], y[i + 1] = x[i] - x[i + 1];
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) sum += (i % 2 == 0 ? 1e6 : 1) * y[i] * y[i];
        return sum;
    };
    const CmaEsOptions full{.step_size = 0.5, .evaluations = 6000, .target = 1e-10, .seed = 1};
    CmaEsOptions diagonal = full;
    diagonal.full_up_to = 5;
    Vector x(6, 1), y = x;
    CHECK(cma_es(x, turned, full).value <= 1e-10);
    CHECK(cma_es(y, turned, diagonal).value > 1e-4);
    // Without dependences, the diagonal learns faster (Ros and Hansen 2008).
    x.assign(20, 1);
    const EvolutionResult fast = cma_es(x, ellipsoid, {.step_size = 0.5, .target = 1e-10, .full_up_to = 0});
    CHECK(fast.value <= 1e-10);
    CHECK(fast.evaluations < 7000);
}

TEST_CASE("CMA-ES with a large population finds the best of many minima") {
    int solved = 0;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        Vector x(5, 3);
        solved += cma_es(x, rastrigin, {.step_size = 2, .population = 150, .target = 1e-8, .seed = seed}).value <= 1e-8;
    }
    CHECK(solved >= 2);
}

TEST_CASE("a seed gives the same candidates bit for bit, and only the order of values matters") {
    const auto candidates = [](std::uint64_t seed, auto value) {
        return path([&](auto visit) {
            Vector x(4, 1);
            cma_es(x,
                   [&](std::span<const double> at) {
                       visit(at);
                       return value(at);
                   },
                   {.evaluations = 800, .value_tolerance = 0, .step_tolerance = 0, .seed = seed});
        });
    };
    const auto first = candidates(1, sphere);
    CHECK(first.size() == 800);
    CHECK(first == candidates(1, sphere));
    CHECK(first != candidates(2, sphere));
    // Doubling and a shift of the exponent change no order, and round nothing.
    CHECK(first == candidates(1, [](std::span<const double> x) { return 8 * sphere(x); }));
    CHECK(candidates(1, ellipsoid) ==
          candidates(1, [](std::span<const double> x) { return -1 / std::max(ellipsoid(x), 1e-300); }));

    const auto pairs = [](std::uint64_t seed, double factor) {
        return path([&](auto visit) {
            Vector x(4, 1);
            evolution_strategy(x,
                               [&](std::span<const double> at) {
                                   visit(at);
                                   return factor * sphere(at);
                               },
                               {.pairs = 5, .evaluations = 200, .seed = seed});
        });
    };
    CHECK(pairs(1, 1) == pairs(1, 16));
    CHECK(pairs(1, 1) != pairs(2, 1));
}

TEST_CASE("candidates of CMA-ES are never outside of their bounds") {
    Vector x(5, 2.5);
    bool inside = true;
    const EvolutionResult found = cma_es(x,
                                         [&](std::span<const double> at) {
                                             for (std::size_t i = 0; i < 5; ++i)
                                                 inside = inside && at[i] >= 1 && (i > 0 || at[i] <= 3);
                                             return sphere(at);
                                         },
                                         {.step_size = 3, .lower = {1}, .upper = {3, 1e9, 1e9, 1e9, 1e9}});
    CHECK(inside);
    CHECK(found.value == Approx(5).margin(1e-9));
    for (const double each : x) CHECK(each == Approx(1).margin(1e-9));
    // A bound on one side only.
    Vector y(3, 2);
    CHECK(cma_es(y, sphere, {.lower = {-std::numeric_limits<double>::infinity(), 1, -5}}).value ==
          Approx(1).margin(1e-9));
}

TEST_CASE("NaN counts as the greatest value") {
    Vector x(3, 2);
    const auto half = [](std::span<const double> at) { return at[0] < 1 ? not_a_number : sphere(at); };
    CHECK(cma_es(x, half, {.seed = 1}).value == Approx(1).margin(1e-6));
    CHECK(x[0] >= 1);
    CHECK(error_text<ArgumentError>([&] { cma_es(x, [](auto) { return not_a_number; }); }) ==
          "cma_es: expected a value below infinity in the first generation, found none");
    CHECK(error_text<ArgumentError>([&] { evolution_strategy(x, [](auto) { return not_a_number; }); }) ==
          "evolution_strategy: expected a start with a finite value, found inf");
}

TEST_CASE("a search ends for the reason that it reports") {
    const auto end = [](auto f, const CmaEsOptions& options, std::size_t n = 4) {
        Vector x(n, 1);
        return cma_es(x, f, options).end;
    };
    CHECK(end(sphere, {.target = 1}) == EvolutionEnd::target);
    CHECK(end(sphere, {}) == EvolutionEnd::value);
    CHECK(end([](auto) { return 1.0; }, {}) == EvolutionEnd::value);
    CHECK(end(sphere, {.value_tolerance = 0}) == EvolutionEnd::step);
    CHECK(end(sphere, {.evaluations = 1}) == EvolutionEnd::evaluations);
    CHECK(end([](std::span<const double> x) { return x[0] * x[0] + 1e20 * x[1] * x[1]; },
              {.value_tolerance = 0, .step_tolerance = 0}, 2) == EvolutionEnd::condition);
    std::vector<Generation> seen;
    CHECK(end(sphere, {.after_generation = [&](const Generation& now) {
                  seen.push_back(now);
                  return now.number < 3;
              }}) == EvolutionEnd::stopped);
    REQUIRE(seen.size() == 3);
    CHECK(seen[2].evaluations == 24);
    CHECK(seen[2].best <= seen[2].value);
    CHECK(seen[2].best == std::min({seen[0].value, seen[1].value, seen[2].value}));
    CHECK(seen[2].step_size > 0);
    CHECK(seen[2].step_size != seen[1].step_size);
}

TEST_CASE("an evolution strategy of pairs minimizes many numbers") {
    Vector x(50, 1);
    const EvolutionResult found = evolution_strategy(x, sphere, {.target = 0.05, .seed = 1});
    CHECK(found.end == EvolutionEnd::target);
    CHECK(found.value == sphere(x));
    CHECK(found.value <= 0.05);
    CHECK(found.evaluations < 10000);
    CHECK(found.evaluations == 1 + 51 * found.generations);
    x.assign(50, 1);
    CHECK(evolution_strategy(x, sphere, {.evaluations = 300}).end == EvolutionEnd::evaluations);
    CHECK(sphere(x) < 50);
    int calls = 0;
    CHECK(evolution_strategy(x, sphere, {.after_generation = [&](const Generation&) { return ++calls < 2; }}).end ==
          EvolutionEnd::stopped);
    CHECK(calls == 2);
}

TEST_CASE("a network learns XOR without gradients") {
    // [evolve]
    Model<Xor> model(1);
    const auto x = x_of_xor(), y = y_of_xor();
    const auto loss_of = [&](const Model<Xor>& now) { return now.evaluate(x, y).error; };
    const EvolutionResult found = cma_es(model, loss_of, {.step_size = 1, .target = 1e-4, .seed = 1});
    // [evolve]
    CHECK(found.end == EvolutionEnd::target);
    CHECK(loss_of(model) == found.value);
    const auto p = model.predict(x);
    for (std::size_t i = 0; i < 4; ++i) CHECK(p(i, 0) == Approx(y(i, 0)).margin(0.05));

    Model<Xor, double> exact(1);
    const auto in_double = [&](const Model<Xor, double>& now) { return now.evaluate(x, y).error; };
    CHECK(evolution_strategy(exact, in_double, {.step_size = 0.2, .target = 0.01, .seed = 1}).value <= 0.01);
    CHECK(in_double(exact) <= 0.01);
}

TEST_CASE("frozen parameters stay, and after an exception all of them") {
    Model<HalfFrozen> model(1);
    const Model<HalfFrozen> before = model;
    int calls = 0;
    const auto fails = [&](const Model<HalfFrozen>& now) {
        if (++calls == 5) throw std::runtime_error("no score");
        return now.evaluate(x_of_xor(), y_of_xor()).error;
    };
    CHECK(error_text<std::runtime_error>([&] { cma_es(model, fails); }) == "no score");
    CHECK(model == before);
    cma_es(model, fails, {.evaluations = 100});
    CHECK_FALSE(model == before);
    for (const char* name : {"1-dense.weights", "1-dense.biases"})
        CHECK(std::ranges::equal(Array<float>(model.parameter(name)), Array<float>(before.parameter(name))));
}

TEST_CASE("a search rejects options out of their ranges") {
    Vector x(3, 1);
    const auto refused = [&](const CmaEsOptions& options) {
        return error_text<ArgumentError>([&] { cma_es(x, sphere, options); });
    };
    CHECK(refused({.step_size = 0}) == "cma_es with step_size: expected a finite number above 0, found 0");
    CHECK(refused({.step_size = not_a_number}) == "cma_es with step_size: expected a finite number above 0, found nan");
    CHECK(refused({.population = 3}) == "cma_es with population: expected 0, or 4 or more, found 3");
    CHECK(refused({.evaluations = 0}) == "cma_es with evaluations: expected 1 or more, found 0");
    CHECK(refused({.value_tolerance = -1}) == "cma_es with value_tolerance: expected 0 or more, found -1");
    CHECK(refused({.step_tolerance = not_a_number}) == "cma_es with step_tolerance: expected 0 or more, found nan");
    CHECK(refused({.lower = {0, 0}}) == "cma_es with lower: expected 1 or 3 bounds, found 2");
    CHECK(refused({.lower = {2}}) == "cma_es: expected a start from 2 to inf, found 1");
    CHECK(refused({.lower = {1}, .upper = {1}}) == "cma_es with upper: expected a bound above 1, found 1");
    Vector none, far{not_a_number};
    CHECK(error_text<ArgumentError>([&] { cma_es(none, sphere); }) ==
          "cma_es: expected 1 number or more to start at, found none");
    CHECK(error_text<ArgumentError>([&] { cma_es(far, sphere); }) ==
          "cma_es: expected finite numbers to start at, found nan");
    const auto refuses = [&](const EvolutionStrategyOptions& options) {
        return error_text<ArgumentError>([&] { evolution_strategy(x, sphere, options); });
    };
    CHECK(refuses({.step_size = 0}) == "evolution_strategy with step_size: expected a finite number above 0, found 0");
    CHECK(refuses({.pairs = 0}) == "evolution_strategy with pairs: expected 1 or more, found 0");
    CHECK(refuses({.learning_rate = 0}) ==
          "evolution_strategy with learning_rate: expected a finite number above 0, found 0");
    CHECK(refuses({.evaluations = 0}) == "evolution_strategy with evaluations: expected 1 or more, found 0");
    CHECK(x == Vector(3, 1));
}
