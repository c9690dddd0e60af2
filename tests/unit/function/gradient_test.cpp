// SPDX-License-Identifier: BSL-1.0
// Gradients of elementwise functions against central finite differences in double. Each result is multiplied by random
// numbers of its own and summed, so that what flows back is never 1 and no two rules can hide each other's mistakes.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {
constexpr double tolerance = gradient_tolerance;
}

TEST_CASE("gradients of functions of one operand", "[gradient]") {
    auto smooth = value_and_gradient(
        [](auto x, auto w) {
            return weighted_all(w, -x, abs(x), exp(x), expm1(x), tanh(x), sigmoid(x), sin(x), cos(x), square(x));
        },
        wrt<0>);
    auto positive = value_and_gradient(
        [](auto x, auto w) {
            return weighted_all(w, log(x), log1p(x), sqrt(x), rsqrt(x), pow(x, 2.7), pow(1.7, x), pow(x, 3.0),
                                pow(x, -1.0), 2.0 / x);
        },
        wrt<0>);
    auto composed = value_and_gradient(
        [](auto x, auto w) {
            return weighted_all(w, relu(x), softplus(x), gelu(x), max(x, 0.5), min(x, 0.5), x - 1.0, 3.0 - x);
        },
        wrt<0>);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {  // 13: a whole vector (or three) and a tail
        const auto w = weights<9, 13>();
        const auto x = random<double, 1>(seed, {13}, -2, 2), y = random<double, 1>(seed, {13}, 0.3, 3);
        const auto at = [&](auto f) { return [f, &w](const auto& v) { return f(shaped<13>(v), shaped<9, 13>(w)); }; };
        CHECK(gradient_error(at(smooth), x) < tolerance);
        CHECK(gradient_error(at(positive), y) < tolerance);
        CHECK(gradient_error(at(composed), x) < tolerance);
    }
}

TEST_CASE("gradients of functions of two and three operands, broadcast", "[gradient]") {
    const auto w = weights<9, 35>();
    auto f = value_and_gradient(
        [](auto x, auto y, auto v) {
            return weighted_all(v, x + y, x - y, x * y, x / y, max(x, y), min(x, y), pow(y, x), where(x < y, x * x, y),
                                where(x, y, x));
        },
        wrt<0, 1>);
    // Fixed shapes: each pair is one program, over matrices of 5 rows and 7 columns.
    const auto x = random<double, 2>(1, {5, 7}), xr = random<double, 2>(2, {1, 7});
    const auto y = random<double, 2>(3, {5, 7}, 0.4, 2), yc = random<double, 2>(4, {5, 1}, 0.4, 2);
    const auto row = random<double, 1>(5, {7}, 0.4, 2);
    CHECK(gradient_error(
              [&](const auto& a, const auto& b) { return f(shaped<5, 7>(a), shaped<5, 7>(b), shaped<9, 35>(w)); }, x,
              y) < tolerance);
    CHECK(gradient_error(
              [&](const auto& a, const auto& b) { return f(shaped<1, 7>(a), shaped<5, 1>(b), shaped<9, 35>(w)); }, xr,
              yc) < tolerance);
    CHECK(
        gradient_error([&](const auto& a, const auto& b) { return f(shaped<5, 7>(a), shaped<7>(b), shaped<9, 35>(w)); },
                       x, row) < tolerance);
    const auto s = [&](const auto& a, const auto& b) { return f(shaped<5, 7>(a), shaped<1>(b), shaped<9, 35>(w)); };
    CHECK(gradient_error(s, x, random<double, 1>(6, {1}, 0.4, 2)) < tolerance);
}

TEST_CASE("nothing flows through stop_gradient, comparisons, sign and argmax", "[gradient]") {
    const xt::xtensor<double, 1> x{0.5, -1.5, 2.0};
    const auto g = gradient([](auto v) {
        return sum(3.0 * v + square(stop_gradient(v)) + (v < 1.0) + sign(v) * 2.0) + argmax(v) + sum(one_hot(v, 3));
    })(x);
    CHECK(flat(g) == std::vector<double>{3, 3, 3});
    const auto none = gradient([](auto v) { return sum(sign(v)); })(x);
    CHECK(flat(none) == std::vector<double>{0, 0, 0});
}

TEST_CASE("gradients where the derivative is a convention", "[gradient]") {
    const auto zero = xt::xtensor<double, 1>{0.0, 2.0};
    CHECK(flat(gradient([](auto v) { return sum(abs(v)); })(zero)) == std::vector<double>{0, 1});
    CHECK(flat(gradient([](auto v) { return sum(relu(v)); })(zero)) == std::vector<double>{0, 1});
    CHECK(flat(gradient([](auto v) { return sum(pow(v, 0.0) + pow(v, 3.0)); })(zero)) == std::vector<double>{0, 12});
    // Equal operands of max share; so do equal extremes.
    const auto [a, b] = gradient([](auto v, auto w) { return sum(max(v, w) * 4.0); })(zero, zero);
    CHECK(flat(a) == std::vector<double>{2, 2});
    CHECK(flat(b) == std::vector<double>{2, 2});
    const xt::xtensor<double, 1> three{1.0, 5.0, 5.0};
    CHECK(flat(gradient([](auto v) { return max(v) * 3.0 + min(v); })(three)) == std::vector<double>{1, 1.5, 1.5});
    // 0^p: the gradient in p is taken as 0 rather than NaN.
    const auto [p, q] = gradient([](auto v, auto w) { return sum(pow(v, w)); })(zero, xt::xtensor<double, 1>{2.0, 3.0});
    CHECK(flat(p) == std::vector<double>{0, 12});
    CHECK(q(0) == 0);
    CHECK(q(1) == Approx(8 * std::log(2.0)));
}

TEST_CASE("gradients stay finite where a naive formula overflows", "[gradient]") {
    const xt::xtensor<float, 1> x{-1000, -100, 0, 100, 1000};
    for (const auto& g :
         {gradient([](auto v) { return sum(softplus(v)); })(x), gradient([](auto v) { return sum(sigmoid(v)); })(x),
          gradient([](auto v) { return sum(tanh(v)); })(x), gradient([](auto v) { return logsumexp(v); })(x)})
        for (float v : g) CHECK(std::isfinite(v));
    const auto g = gradient([](auto v) { return sum(softplus(v)); })(x);
    CHECK(g(4) == 1);
    CHECK(g(0) == 0);
}
