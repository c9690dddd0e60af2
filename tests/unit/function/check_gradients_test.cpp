// SPDX-License-Identifier: BSL-1.0
#include <sigma/function/check_gradients.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <xtensor/xarray.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xtensor.hpp>

using namespace sigma;

namespace {

xt::xtensor_fixed<double, xt::xshape<3>> three() { return {-1.0, 0.5, 2.0}; }
xt::xtensor_fixed<double, xt::xshape<2, 3>> six() { return {{0.3, -1.2, 0.7}, {1.1, 0.2, -0.4}}; }

/// Its gradient is what the tape says, half of what it should be.
constexpr auto half = [](auto x) { return sum(x * stop_gradient(x)); };

}  // namespace

TEST_CASE("Right gradients agree with differences: numbers, arrays, batches and several results") {
    const auto number = check_gradients([](auto x) { return sin(x) * exp(x); })(0.5);
    REQUIRE(number.gradients.size() == 1);
    CHECK(number.gradients[0].compared == 1);
    CHECK(number.worst_error() < 1e-8);
    number.require();
    CHECK(number.text() == "'argument 0': 1 of 1 elements compared, equal up to rounding\n");

    const auto line = check_gradients([](auto x, auto w) { return mean(square(tanh(sum(x * w, axis(1))))); });
    const auto found = line(six(), three());
    CHECK(found.gradients.size() == 2);
    CHECK(found.gradients[0].elements == 6);
    CHECK(found.gradients[1].compared == 3);
    found.require(1e-7);

    const xt::xtensor<float, 1> any{0.3f, 0.9f, -0.7f, 1.4f};
    check_gradients([](auto x) { return tanh(x) * x; })(any).require(1e-7);
    check_gradients([](auto x) { return softmax(x, axis(1)); })(six()).require(1e-7);
    check_gradients([](auto x, auto k) { return std::tuple{x * k, sum(exp(x))}; })(three(), 1.7).require(1e-7);
}

TEST_CASE("Arrays whose extents only the program knows are taken as they come") {
    const xt::xtensor<double, 2> x = six();
    const xt::xarray<double> w = three();
    const auto f = [](auto a, auto b) { return mean(square(tanh(sum(a * b, axis(1))))); };
    const auto found = check_gradients(f)(x, w), wanted = check_gradients(f)(six(), three());
    REQUIRE(found.gradients.size() == 2);
    CHECK(found.gradients[0].elements == 6);
    CHECK(found.gradients[1].compared == 3);
    found.require(1e-7);
    CHECK(found.worst().found == Approx(wanted.worst().found));
    check_gradients([](auto a, auto k) { return std::tuple{a * k, sum(exp(a))}; })(x, 1.7).require(1e-7);
    CHECK(check_gradients(half, wrt<0>)(x).worst_error() == Approx(0.5).epsilon(1e-6));
    CHECK_THROWS_AS(check_gradients(f)(x, xt::xtensor<double, 2>(xt::ones<double>({4, 5}))), MistakeError);
    CHECK_THROWS_AS(check_gradients(f)(x, xt::xtensor<double, 2>::from_shape({0, 3})), ShapeError);
}

TEST_CASE("Every result counts, each under numbers of its own") {
    // Under equal numbers the rows of softmax have no gradient at all; a wrong one in the second result is seen.
    const auto rows = check_gradients([](auto x) { return softmax(x, axis(1)); })(six());
    CHECK(std::abs(rows.worst().found) > 0.01);
    const auto second = [](auto x) { return std::tuple{sin(x), x * stop_gradient(x)}; };
    CHECK(check_gradients(second)(three()).worst_error() > 0.1);
}

TEST_CASE("A wrong gradient is refused by name, index and both values") {
    const auto wrong = check_gradients(half)(2.0);
    CHECK(wrong.worst_error() == Approx(0.5).epsilon(1e-6));
    CHECK(wrong.worst().expected == Approx(4).epsilon(1e-8));
    CHECK(wrong.worst().found == 2);
    CHECK_THROWS_AS(wrong.require(), GradientError);
    CHECK_NOTHROW(wrong.require(0.6));

    // The gradient of the last element alone is wrong.
    const auto one = [](auto x) {
        const auto last = slice(x, axis(1), 2, 3);
        return sum(square(x)) + sum(slice(last, axis(0), 1, 2) * stop_gradient(slice(last, axis(0), 1, 2)));
    };
    const auto report = check_gradients(one)(six());
    CHECK(report.worst().index == std::vector<std::size_t>{1, 2});
    const std::string text = error_text<GradientError>([&] { report.require(); });
    CHECK(text.starts_with("gradient of 'argument 0'[1, 2]: expected -1.6"));
    CHECK(text.find(" (central difference), found -1.2") != std::string::npos);
    CHECK(report.text().starts_with("'argument 0': 6 of 6 elements compared, greatest relative error 0."));
}

TEST_CASE("A gradient that is missing or not finite is an error") {
    const auto missing = check_gradients([](auto x) { return sum(stop_gradient(x)); })(three());
    CHECK(missing.worst_error() == Approx(1));
    const auto root = check_gradients([](auto x) { return sum(sqrt(square(square(x - 0.5)))); })(three());
    CHECK(std::isinf(root.worst_error()));  // 0 · inf at 0.5
    check_gradients([](auto x) { return sum(where(x > 0.0, sqrt(x), 0.0)); })(three()).require();
    check_gradients([](auto x) { return sum(stop_gradient(x) * 0.0) + 3.0; })(three()).require();
}

TEST_CASE("Kinks are left out and counted; beside a kink, steps get shorter") {
    const xt::xtensor_fixed<double, xt::xshape<4>> x{-1.0, 0.0, 1e-6, 2.0};
    const auto report = check_gradients([](auto v) { return sum(relu(v) * v + relu(v)); })(x);
    CHECK(report.gradients[0].kinks == 1);
    CHECK(report.gradients[0].compared == 3);
    report.require(1e-5);
    CHECK(report.text().find("3 of 4 elements compared, 1 left out at kinks") != std::string::npos);

    const auto none = check_gradients([](auto v) { return relu(v); })(0.0);
    CHECK_THROWS_AS(none.require(), GradientError);
    // A minimum is no kink.
    check_gradients([](auto v) { return square(v); })(0.0).require();
    // A wrong gradient is not taken for one.
    CHECK(check_gradients([](auto v) { return relu(v) * stop_gradient(v); })(1.0).gradients[0].kinks == 0);
}

TEST_CASE("Where rounding hides the differences of a smooth function, it says so, and how few it has compared") {
    // What is added rounds to multiples of 1.2e-7, so that slopes over short steps are anything.
    const auto smooth = check_gradients([](auto v) { return sum(sin((v + 1e9) * 1.5)); })(six());
    CHECK(smooth.gradients[0].kinks == 0);
    CHECK(smooth.gradients[0].lost > 0);
    CHECK(smooth.gradients[0].lost + smooth.gradients[0].compared == 6);
    CHECK(smooth.text().find(sentence(", ", smooth.gradients[0].lost, " lost in rounding")) != std::string::npos);
    CHECK(smooth.text().find("kink") == std::string::npos);

    GradientReport none;
    none.gradients.push_back({.name = "x", .elements = 3, .lost = 3, .index = {}});
    const std::string wanted = "gradients: expected elements comparable with central differences, found ";
    CHECK(error_text<GradientError>([&] { none.require(); }) ==
          wanted + "differences lost in rounding at all elements");
    none.gradients.push_back({.name = "y", .elements = 2, .kinks = 2, .index = {}});
    CHECK(error_text<GradientError>([&] { none.require(); }) == wanted + "2 at kinks or jumps, and 3 lost in rounding");
    // A kink or a jump stays one.
    const xt::xtensor_fixed<double, xt::xshape<2>> bent{0.0, 1.0};
    const auto kinks = check_gradients([](auto v) { return sum(relu(v)) + 3.7; })(bent);
    CHECK(kinks.gradients[0].kinks == 1);
    CHECK(kinks.gradients[0].lost == 0);
    CHECK(check_gradients([](auto v) { return sum(floor(v) + 0.1 * v); })(bent).gradients[0].lost == 0);

    const auto both = check_gradients([](auto x, auto w) { return sum(relu(x)) + sum(w * w); })(bent, three());
    CHECK(both.compared() == 4);
    CHECK(both.elements() == 5);
    CHECK(both.text().ends_with("all: 4 of 5 elements compared, 1 left out at kinks\n"));
}

TEST_CASE("Chosen arguments, and a sample of large ones") {
    const auto f = [](auto k, auto x) { return sum(floor(k) * x); };
    const auto report = check_gradients(f, wrt<1>)(2.5, three());
    REQUIRE(report.gradients.size() == 1);
    CHECK(report.gradients[0].name == "argument 1");
    report.require();

    const xt::xtensor<double, 1> long_one = 0.1 * xt::arange<double>(1, 1001);
    const auto wave = [](auto x) { return sum(sin(x)); };
    const auto sample = check_gradients(wave, {.elements = 30})(long_one);
    CHECK(sample.gradients[0].elements == 1000);
    CHECK(sample.gradients[0].compared == 30);
    sample.require();
    CHECK(check_gradients(wave, {.elements = 30, .seed = 1})(long_one).worst().index != sample.worst().index);
    CHECK_THROWS_AS(check_gradients(wave, {.elements = 0})(long_one), ArgumentError);
}
