// SPDX-License-Identifier: BSL-1.0
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace sigma;

namespace {

struct Drawn {
    double mean = 0, deviation = 0, least = 1e300, most = -1e300;
};
/// Moments and bounds of a parameter of 60 x 40: 2400 draws, so that the standard error of a mean is 2 % of the
/// deviation and that of a deviation 1.5 % of it at most.
constexpr Shape matrix{60, 40};
Drawn draw(const detail::Initializer& initializer, const Shape& shape = matrix) {
    const Philox random(11, RandomUse::initialize, 0);
    const auto count = static_cast<std::uint64_t>(shape.count());
    Drawn d;
    double squares = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double x = initializer.draw(shape, random, i);
        d.mean += x / static_cast<double>(count);
        squares += x * x / static_cast<double>(count);
        d.least = std::min(d.least, x);
        d.most = std::max(d.most, x);
    }
    d.deviation = std::sqrt(squares - d.mean * d.mean);
    return d;
}
auto near(double x, double margin) { return Approx(x).epsilon(0).margin(margin); }
void check_uniform(const Drawn& d, double low, double high) {
    const double width = high - low;
    CHECK(d.least >= low);
    CHECK(d.most < high);
    CHECK(d.least == near(low, 0.01 * width));
    CHECK(d.most == near(high, 0.01 * width));
    CHECK(d.mean == near((low + high) / 2, 0.02 * width));
    CHECK(d.deviation == Approx(width / std::sqrt(12)).epsilon(0.05));
}
void check_normal(const Drawn& d, double mean, double deviation) {
    CHECK(d.mean == near(mean, 0.08 * deviation));
    CHECK(d.deviation == Approx(deviation).epsilon(0.06));
    CHECK(d.most - mean > 2.5 * deviation);
    CHECK(d.most - mean < 5 * deviation);
    CHECK(mean - d.least > 2.5 * deviation);
}

struct Pair : Network<Input(6) + Dense(5) + Dense(3) + SquaredDiff()> {};

}  // namespace

TEST_CASE("Constants are constant") {
    CHECK(draw(constant(0.25)).least == 0.25);
    CHECK(draw(constant(0.25)).most == 0.25);
    CHECK(draw(zeros).most == 0);
    CHECK(draw(ones).least == 1);
}

TEST_CASE("Gaussian and uniform draws have their moments and bounds") {
    check_normal(draw(gaussian(0.1)), 0, 0.1);
    check_normal(draw(gaussian(2, -3)), -3, 2);
    check_uniform(draw(uniform(-0.5, 2)), -0.5, 2);
}

TEST_CASE("Glorot and He scale with the connections into and out of a unit") {
    check_uniform(draw(glorot()), -std::sqrt(6.0 / 100), std::sqrt(6.0 / 100));
    check_normal(draw(glorot_normal()), 0, std::sqrt(2.0 / 100));
    check_normal(draw(he()), 0, std::sqrt(2.0 / 60));
    check_uniform(draw(he_uniform()), -std::sqrt(6.0 / 60), std::sqrt(6.0 / 60));
}

TEST_CASE("A receptive field counts in both fans, a vector has one unit in") {
    CHECK(he().scale(Shape{3, 3, 8, 16}) == Approx(1 / std::sqrt(72.0)));
    CHECK(glorot().scale(Shape{3, 3, 8, 16}) == Approx(1 / std::sqrt(9 * 12.0)));
    CHECK(he().scale(Shape{7}) == 1);
    CHECK(gaussian(1).scale(Shape{60, 40}) == 1);
    CHECK(he().scale(Shape{}) == 1);
}

TEST_CASE("One seed gives the same parameters, another one others, and no two parameters share numbers") {
    Model<Pair> first(5), second(5), other(6);
    Model<Pair, double> twice(5);
    const auto all = [](auto& model) {
        std::vector<double> values;
        for (int i = 0; i < model.parameter_count; ++i)
            for (const auto w : model.parameter(i)) values.push_back(static_cast<double>(w));
        return values;
    };
    CHECK(all(first) == all(second));
    CHECK(all(first) != all(other));
    const auto single = all(first), precise = all(twice);  // float holds the same numbers, rounded
    for (std::size_t i = 0; i < single.size(); ++i)
        CHECK(single[i] == static_cast<double>(static_cast<float>(precise[i])));
    first.initialize("*", gaussian(1));
    const auto a = first.parameter(0), b = first.parameter(2);
    CHECK(a(0, 0) != b(0, 0));
}

TEST_CASE("A pattern chooses parameters") {
    Model<Pair> model;
    CHECK(model.initialize("*.biases", constant(3)) == 2);
    const auto all = [](const ArrayView<float>& view, float value) {
        return static_cast<std::size_t>(std::ranges::count(view, value)) == view.size();
    };
    CHECK(all(model.parameter<"1-dense.biases">(), 3));
    CHECK(all(model.parameter<"2-dense.biases">(), 3));
    CHECK_FALSE(all(model.parameter<"1-dense.weights">(), 3));
    CHECK(model.initialize("2-*", constant(4)) == 2);
    CHECK(all(model.parameter<"2-dense.weights">(), 4));
    CHECK(all(model.parameter<"1-dense.biases">(), 3));
    CHECK(model.initialize("*.scales", constant(4)) == 0);
}
