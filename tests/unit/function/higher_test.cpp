// SPDX-License-Identifier: BSL-1.0
// Derivatives of derivatives, chosen arguments, and functions inside functions.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

TEST_CASE("derivatives up to the fourth", "[gradient]") {
    constexpr auto f = [](auto x) { return sum(sin(x) * exp(x)); };
    constexpr auto first = gradient(f);
    constexpr auto f2 = [](auto x) { return sum(gradient([](auto v) { return sum(sin(v) * exp(v)); })(x)); };
    constexpr auto f3 = [](auto x) {
        return sum(gradient([](auto u) { return sum(gradient([](auto v) { return sum(sin(v) * exp(v)); })(u)); })(x));
    };
    constexpr auto f4 = [](auto x) {
        return sum(gradient([](auto t) {
            return sum(
                gradient([](auto u) { return sum(gradient([](auto v) { return sum(sin(v) * exp(v)); })(u)); })(t));
        })(x));
    };
    const auto x = random<double, 1>(1, {9}, -1.5, 1.5);
    const auto d1 = first(x), d2 = gradient(f2)(x), d3 = gradient(f3)(x), d4 = gradient(f4)(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x(i), e = std::exp(v);
        CHECK(d1(i) == Approx(e * (std::sin(v) + std::cos(v))).epsilon(1e-13));
        CHECK(d2(i) == Approx(2 * e * std::cos(v)).epsilon(1e-13));
        CHECK(d3(i) == Approx(2 * e * (std::cos(v) - std::sin(v))).epsilon(1e-13));
        CHECK(d4(i) == Approx(-4 * e * std::sin(v)).epsilon(1e-13));
    }
}

TEST_CASE("second derivatives of every kind of rule", "[gradient]") {
    // The gradient of |∇f|² needs the derivative of each rule that ∇f was made of.
    auto smooth = value_and_gradient([](auto x) {
        return sum(square(gradient([](auto v) {
            return sum(tanh(v) * sigmoid(v) + log(2.0 + v * v) + sqrt(3.0 + v) + rsqrt(4.0 + v) +
                       cos(v) / (2.0 + sin(v)) + expm1(0.3 * v) * log1p(v * v) + pow(3.0 + v, 1.5));
        })(x)));
    });
    CHECK(gradient_error([&](const auto& x) { return smooth(x); }, random<double, 1>(1, {7}, -1, 1)) <
          gradient_tolerance);
    auto shapes = value_and_gradient([](auto x, auto w) {
        const auto [dx, dw] = gradient([](auto v, auto u) {
            const auto h = softmax(tanh(dot(v, u)));
            return sum(square(h) * transpose(concatenate(axis(0), slice(transpose(h), axis(0), 0, 1),
                                                         slice(transpose(h), axis(0), 1, 3)))) +
                   sum(max(h, axis(1))) + mean(exp(h), axes(0, 1)) + sum(square(reshape(v, Shape{15})) * 0.1);
        })(x, w);
        return sum(square(dx)) + sum(dw * w);
    });
    CHECK(gradient_error([&](const auto& x, const auto& w) { return shapes(shaped<5, 3>(x), shaped<3, 3>(w)); },
                         random<double, 2>(2, {5, 3}), random<double, 2>(3, {3, 3})) < gradient_tolerance);
}

TEST_CASE("inner and outer derivatives are not confused", "[gradient]") {
    // d/dx [x · d/dy (x + y)] at y = 1 is 1; confusing the two perturbations gives 2 (Siskind and Pearlmutter 2005).
    constexpr auto f = [](auto x) {
        return x * gradient([](auto u, auto y) { return u + y; }, wrt<1>)(x, x * 0.0 + 1.0);
    };
    CHECK(gradient(f)(3.0) == 1.0);
    // The same where the inner argument is the outer one: d/dx [x · (d/dv v²)(x)] = 4x.
    constexpr auto g = [](auto x) { return x * gradient([](auto v) { return v * v; })(x); };
    CHECK(gradient(g)(3.0) == 12.0);
    // A value from outside enters as an argument that is not differentiated: d/dx x·(d/dy xy²)(x) = d/dx 2x³ = 6x².
    constexpr auto h = [](auto x) { return x * gradient([](auto y, auto u) { return u * y * y; }, wrt<0>)(x, x); };
    CHECK(gradient(h)(2.0) == 24.0);
}

TEST_CASE("gradients with respect to chosen arguments", "[gradient]") {
    constexpr auto f = [](auto x, auto y, auto z) { return sum(x * y * y * z); };
    const xt::xtensor<double, 1> x{1, 2}, y{3, 4}, z{5, 6};
    const auto all = gradient(f)(x, y, z);
    STATIC_REQUIRE(std::tuple_size_v<std::decay_t<decltype(all)>> == 3);
    const auto only = gradient(f, wrt<1>)(x, y, z);  // one: no tuple
    CHECK(flat(only) == std::vector<double>{30, 96});
    const auto [dz, dx] = gradient(f, wrt<2, 0>)(x, y, z);  // in the order asked
    CHECK(flat(dz) == std::vector<double>{9, 32});
    CHECK(flat(dx) == std::vector<double>{45, 96});
    CHECK(flat(std::get<0>(all)) == flat(dx));
    CHECK(flat(std::get<1>(all)) == flat(only));
    CHECK(flat(std::get<2>(all)) == flat(dz));
    const auto [value, dy] = value_and_gradient(f, wrt<1>)(x, y, z);
    CHECK(value == 45 + 192);
    CHECK(flat(dy) == flat(only));
}

TEST_CASE("a gradient of what does not depend on the argument is zero", "[gradient]") {
    const xt::xtensor<double, 1> x{1, 2, 3};
    const auto [dx, dy] = gradient([](auto, auto y) { return sum(y) * 2.0; })(x, 5.0);
    CHECK(flat(dx) == std::vector<double>{0, 0, 0});
    CHECK(dy == 2.0);
    // The same argument twice: two gradients, not their sum.
    const auto [da, db] = gradient([](auto a, auto b) { return sum(a * a + 3.0 * b); })(x, x);
    CHECK(flat(da) == std::vector<double>{2, 4, 6});
    CHECK(flat(db) == std::vector<double>{3, 3, 3});
}

TEST_CASE("a Newton step from nested functions", "[gradient]") {
    // x - f'(x)/f''(x) on x⁴: converges to 0 by thirds.
    constexpr auto step = evaluate([](auto x) {
        constexpr auto first = [](auto v) { return gradient([](auto u) { return u * u * u * u; })(v); };
        return x - first(x) / gradient(first)(x);
    });
    CHECK(step(3.0) == Approx(2.0).epsilon(1e-15));
    CHECK(step(3.0f) == Approx(2.0f));
}

namespace {

/// Of f its value at x, its gradient and its second derivatives, summed.
template <class F>
std::array<double, 3> derivatives(F f, double x) {
    const auto first = [](auto v) { return gradient(F{})(v); };
    return {evaluate(f)(x), gradient(f)(x), gradient(first)(x)};
}

}  // namespace

TEST_CASE("what where does not choose reaches no derivative of any order", "[gradient]") {
    using Found = std::array<double, 3>;
    const double infinite = std::numeric_limits<double>::infinity(), nan = std::nan("");
    CHECK(derivatives([](auto x) { return where(x > 0.0, log(x), 0.0); }, 0.0) == Found{0, 0, 0});
    CHECK(derivatives([](auto x) { return where(x > 0.0, log(x), 0.0); }, 2.0) == Found{std::log(2.0), 0.5, -0.25});
    CHECK(derivatives([](auto x) { return where(x > 0.0, sqrt(x) * x / x, 3.0 * x * x); }, 0.0) == Found{0, 0, 6});
    CHECK(derivatives([](auto x) { return where(x > 0.0, square(sqrt(x)) + log(sqrt(x)), x); }, 0.0) == Found{0, 1, 0});
    // What two branches share is chosen by neither, or by one.
    const auto shared = [](auto x) {
        const auto l = log(x);
        return where(x > 0.0, l, 0.0) + where(x > 1.0, l * l, x);
    };
    CHECK(derivatives(shared, 0.0) == Found{0, 1, 0});
    CHECK(derivatives(shared, 0.5)[1] == 3);
    // Within each other; through a reduction, and another shape.
    CHECK(derivatives([](auto x) { return where(x > 0.0, where(x < 9.0, log(x), 1.0), 0.0); }, 0.0) == Found{0, 0, 0});
    CHECK(derivatives([](auto x) { return where(x > 0.0, where(x > -1.0, log(x), 1.0), 0.0); }, 0.0) == Found{0, 0, 0});
    const xt::xtensor<double, 2> x{{1, 2}, {0, infinite}, {nan, 3}};
    const xt::xtensor<double, 1> given{1, 0, 0};
    const auto masked = [](auto v, auto m) { return sum(where(m, sum(square(log(v)), axis(1)), 0.0)); };
    const auto slope = flat(gradient(masked, wrt<0>)(shaped<3, 2>(x), shaped<3>(given)));
    CHECK(slope == std::vector<double>{0, std::log(2.0), 0, 0, 0, 0});
    const auto curvature = [](auto v, auto m) {
        return sum(
            gradient([](auto u, auto n) { return sum(where(n, sum(square(log(u)), axis(1)), 0.0)); }, wrt<0>)(v, m));
    };
    const auto second = flat(gradient(curvature, wrt<0>)(shaped<3, 2>(x), shaped<3>(given)));
    CHECK(second[0] == 2);
    CHECK(second[1] == Approx((2 - 2 * std::log(2.0)) / 4));
    for (std::size_t i = 2; i < 6; ++i) CHECK(second[i] == 0);
    // What max and min do not choose.
    CHECK(derivatives([](auto z) { return max(log(z), -5.0); }, 0.0) == Found{-5, 0, 0});
    CHECK(derivatives([](auto z) { return relu(log(z) * z); }, 0.5) == Found{0, 0, 0});
}
