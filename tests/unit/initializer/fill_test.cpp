// SPDX-License-Identifier: BSL-1.0
#include <sigma/initializer/fill.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace sigma;

namespace {

/// A parameter as `initialize` fills it, dense.
template <class I>
std::vector<double> filled(const I& how, const Shape& shape, std::uint64_t seed = 11) {
    std::vector<double> data(static_cast<std::size_t>(shape.count()));
    detail::fill(how, shape, Philox(seed, RandomUse::initialize, 0), data.data(),
                 static_cast<std::size_t>(shape.last()));
    return data;
}
struct Moments {
    double mean = 0, deviation = 0, furthest = 0;
    explicit Moments(const std::vector<double>& x) {
        for (double v : x) mean += v / static_cast<double>(x.size());
        for (double v : x) deviation += (v - mean) * (v - mean) / static_cast<double>(x.size());
        for (double v : x) furthest = std::max(furthest, std::abs(v - mean));
        deviation = std::sqrt(deviation);
    }
};

/// The greatest difference of QᵀQ (columns) or QQᵀ (rows) from gain² times the identity.
double from_orthogonal(const Shape& shape, double gain) {
    const std::vector<double> q = filled(orthogonal(gain), shape);
    const auto columns = static_cast<std::size_t>(shape.last()), rows = q.size() / columns;
    const bool tall = rows >= columns;
    const std::size_t vectors = tall ? columns : rows, length = tall ? rows : columns;
    const auto at = [&](std::size_t vector, std::size_t k) {
        return tall ? q[k * columns + vector] : q[vector * columns + k];
    };
    double worst = 0;
    for (std::size_t i = 0; i < vectors; ++i)
        for (std::size_t j = 0; j < vectors; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < length; ++k) sum += at(i, k) * at(j, k);
            worst = std::max(worst, std::abs(sum - (i == j ? gain * gain : 0)));
        }
    return worst;
}

constexpr auto ramp = custom([](auto index) { return index[1]; });
constexpr auto by_index = custom([](auto index, auto shape) { return 10.0 * index[0] + index[1] + 0.01 * shape.rank; });
constexpr auto noisy = custom([](auto, auto, auto& random) { return random.normal() + 10 * random.uniform(); });

struct Pair : Network<Input(6) + Dense(5, tanh, {.weights = orthogonal()}) + BatchNorm() + Dense(3, {.weights = ramp}) +
                      SquaredDiff()> {};

}  // namespace

TEST_CASE("Truncated draws end at two deviations") {
    const Moments m(filled(truncated(0.5, 3), Shape{200, 200}));
    CHECK(m.mean == Approx(3).margin(4 * 0.44 / 200));
    CHECK(m.deviation == Approx(0.5 * 0.87962566).epsilon(0.015));  // √(1 - 4φ(2) / (2Φ(2) - 1))
    CHECK(m.furthest <= 1 + 1e-9 + std::abs(m.mean - 3));
    CHECK(m.furthest > 0.99);
    // the density just inside the cut is that of a normal: 1.34 % of what is kept lies beyond 1.9 (not what a clamp
    // leaves)
    const auto x = filled(truncated(1), Shape{200, 200});
    const auto outer = std::count_if(x.begin(), x.end(), [](double v) { return std::abs(v) > 1.9; });
    CHECK(static_cast<double>(outer) / 40000 == Approx(0.0125).margin(4 * std::sqrt(0.0125 / 40000)));
}

TEST_CASE("LeCun's variance is 1 / in") {
    CHECK(Moments(filled(lecun(), Shape{100, 300})).deviation == Approx(0.1).epsilon(0.02));
    CHECK(Moments(filled(lecun_uniform(), Shape{100, 300})).deviation == Approx(0.1).epsilon(0.02));
    CHECK(Moments(filled(lecun_uniform(), Shape{100, 300})).furthest == Approx(std::sqrt(0.03)).epsilon(0.01));
    CHECK(filled(he_normal(), Shape{3, 4}) == filled(he(), Shape{3, 4}));
    CHECK(filled(glorot_uniform(), Shape{3, 4}) == filled(glorot(), Shape{3, 4}));
}

TEST_CASE("Orthogonal matrices are, tall, wide, square and of higher rank") {
    CHECK(from_orthogonal({5, 5}, 1) < 1e-14);
    CHECK(from_orthogonal({1, 1}, 2) < 1e-14);
    CHECK(from_orthogonal({60, 17}, 1) < 1e-14);
    CHECK(from_orthogonal({17, 60}, 1.5) < 1e-14);
    CHECK(from_orthogonal({3, 3, 4, 8}, 1) < 1e-14);
    CHECK(from_orthogonal({100, 100}, 1) < 1e-13);
    CHECK(filled(orthogonal(), Shape{4, 4}) != filled(orthogonal(), Shape{4, 4}, 12));
    // No direction is preferred: the mean of an element over many matrices is 0, of its square 1 / n.
    double mean = 0, square = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const double corner = filled(orthogonal(), Shape{3, 3}, seed)[0];
        mean += corner / 2000;
        square += corner * corner / 2000;
    }
    CHECK(mean == Approx(0).margin(4 * 0.58 / std::sqrt(2000)));
    CHECK(square == Approx(1.0 / 3).margin(4 * 0.3 / std::sqrt(2000)));
}

TEST_CASE("A function draws from index, shape and random numbers of its own") {
    CHECK(filled(by_index, Shape{2, 3}) == std::vector<double>{0.02, 1.02, 2.02, 10.02, 11.02, 12.02});
    const auto x = filled(noisy, Shape{100, 100});
    CHECK(Moments(x).mean == Approx(5).margin(4 * 3.05 / 100));
    CHECK(Moments(x).deviation == Approx(std::sqrt(1 + 100.0 / 12)).epsilon(0.05));
    CHECK(x == filled(noisy, Shape{100, 100}));
    std::vector<double> some = filled(noisy, Shape{10, 10});
    std::sort(some.begin(), some.end());
    CHECK(std::unique(some.begin(), some.end()) == some.end());
    const double step = 0.5;
    CHECK(filled(custom([step](auto index) { return step * index[0]; }), Shape{4}) ==
          std::vector<double>{0, 0.5, 1, 1.5});
}

TEST_CASE("A layer's declaration may hold any initializer that is a constant") {
    Model<Pair, double> model(4);
    const auto w = model.parameter<"1-dense.weights">();
    double norm = 0;
    for (std::size_t i = 0; i < 6; ++i) norm += w(i, 2) * w(i, 2);
    CHECK(norm == Approx(1).epsilon(1e-12));
    CHECK(model.parameter<"3-dense.weights">()(4, 2) == 2);
    CHECK(model.parameter<"3-dense.weights">()(0, 1) == 1);
}

TEST_CASE("Of several patterns the most specific one decides, in any order") {
    Model<Pair, double> model(4);
    CHECK(model.initialize({{"1-dense.weights", constant(1)}, {"*", constant(2)}, {"*.weights", constant(3)}}) == 6);
    CHECK(model.parameter<"1-dense.weights">()(5, 4) == 1);
    CHECK(model.parameter<"3-dense.weights">()(0, 0) == 3);
    CHECK(model.parameter<"3-dense.biases">()(0) == 2);
    CHECK(model.initialize({{"*.weights", constant(3)}, {"3-*", constant(4)}}) == 3);
    CHECK(model.parameter<"1-dense.weights">()(5, 4) == 3);
    CHECK(model.parameter<"3-dense.weights">()(0, 0) == 3);
    CHECK(model.parameter<"3-dense.biases">()(0) == 4);
    CHECK(model.initialize({{"a", zeros}}) == 0);
    CHECK(model.initialize({{"*.weights", constant(5)}, {"*.weights", constant(6)}}) == 2);
    CHECK(model.parameter<"1-dense.weights">()(0, 0) == 6);
    double next = 0;
    CHECK(model.initialize("*.weights", custom([&next](auto) { return next++; })) == 2);
    CHECK(model.parameter<"1-dense.weights">()(1, 0) == 5);
}

TEST_CASE("Patterns leave statistics alone; their names reach them") {
    Model<Pair, double> model(4);
    model.initialize("*", constant(7));
    CHECK(model.parameter<"2-batch_norm.scales">()(0) == 7);
    CHECK(model.parameter<"2-batch_norm.running_variance">()(0) == 1);
    CHECK(model.initialize("2-batch_norm.running_variance", constant(7)) == 1);
    CHECK(model.parameter<"2-batch_norm.running_variance">()(4) == 7);
    CHECK(model.initialize({{"2-batch_norm.running_mean", ones}, {"*", zeros}}) == 7);
    CHECK(model.parameter<"2-batch_norm.running_mean">()(0) == 1);
}
