// SPDX-License-Identifier: BSL-1.0
#include <sigma/tape/derivative_of.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

using namespace sigma;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(derivative_of<[](auto x) { return x * x; }>(3.0) == 6);
static_assert(derivative_of<[](auto x) { return x; }>(3) == 1);
static_assert(derivative_of<[](auto x) { return stop_gradient(x) * x; }>(3.0) == 3);
static_assert(derivative_of<[](auto x) { return stop_gradient(x); }>(3.0) == 0);
static_assert(derivative_of<[](auto x) { return (x - 1.0) / (2.0 * x + 4.0); }>(0.0) == 0.375);
static_assert(derivative_of<[](auto x) { return pow(x, 5.0); }>(2.0) == 80);
static_assert(derivative_of<[](auto x) { return pow(x, -4.0); }>(2.0) == -0.125);
static_assert(derivative_of<[](auto x) { return abs(x) * 3.0; }>(-2.0) == -3);
static_assert(derivative_of<[](auto x) { return relu(x); }>(-2.0) == 0);
static_assert(derivative_of<[](auto x) { return relu(x); }>(0.0) == 0);
static_assert(derivative_of<[](auto x) { return max(x, 2.0 * x) + min(x, 1.0); }>(3.0) == 2);
static_assert(derivative_of<[](auto x) { return where(x > 1.0, x * x, x); }>(0.5) == 1);
static_assert(derivative_of<[](auto x) { return where(x > 1.0, x * x, x); }>(1.5) == 3);
static_assert(derivative_of<[](auto x) { return 1.0 / x; }>(0.0) == -infinity);
static_assert(derivative_of<[](auto x, auto k) { return x * k * k; }>(2.0, 5.0) == std::tuple{25.0, 20.0});

// Functions of each element, each next to its formula.
constexpr bool is_near(double a, double b) { return (a - b) * (a - b) <= 1e-28 * b * b; }
constexpr double e = 2.718281828459045;
static_assert(is_near(derivative_of<[](auto x) { return exp(x); }>(1.0), e));
static_assert(is_near(derivative_of<[](auto x) { return exp(2.0 * x) + log(x); }>(0.5), 2 * e + 2));
static_assert(is_near(derivative_of<[](auto x) { return log1p(x) + expm1(x); }>(1.0), 0.5 + e));
static_assert(is_near(derivative_of<[](auto x) { return sqrt(x) + rsqrt(x); }>(4.0), 0.25 - 1.0 / 16));
static_assert(is_near(derivative_of<[](auto x) { return tanh(x); }>(1.0), 0.4199743416140261));
static_assert(is_near(derivative_of<[](auto x) { return sigmoid(x); }>(1.0), 0.19661193324148188));
static_assert(is_near(derivative_of<[](auto x) { return sin(x) * cos(x); }>(0.3), 0.8253356149096783));  // cos 0.6
static_assert(is_near(derivative_of<[](auto x) { return tan(x); }>(0.5), 1.2984464104095248));
static_assert(is_near(derivative_of<[](auto x) { return asin(x) + 2.0 * acos(x); }>(0.6), -1.25));
static_assert(is_near(derivative_of<[](auto x) { return atan(x); }>(2.0), 0.2));
static_assert(is_near(derivative_of<[](auto x) { return erf(x); }>(1.0), 0.4151074974205947));
static_assert(derivative_of<[](auto x) { return floor(x) + round(x) + mod(x, 2.0); }>(3.7) == 1);
static_assert(is_near(derivative_of<[](auto x) { return pow(x, 2.5); }>(4.0), 20));
static_assert(is_near(derivative_of<[](auto x) { return pow(2.0, x); }>(3.0), 5.545177444479562));  // 8 log 2
static_assert(derivative_of<[](auto x) { return log(x); }>(0.0) == infinity);

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 2>;
static_assert(derivative_of<[](auto x) { return sum(square(x)); }>(Three{1, -2, 3}) == Three{2, -4, 6});
static_assert(derivative_of<[](auto x) { return sum(x); }>(Three{1, -2, 3}) == Three{1, 1, 1});
static_assert(derivative_of<[](auto x) { return sum(slice(x, axis(0), 1, 2)); }>(Three{1, -2, 3}) == Three{0, 1, 0});
static_assert(derivative_of<[](auto x) { return max(x); }>(Three{1, -2, 3}) == Three{0, 0, 1});
// Σ (W x)², so 2 Wᵀ W x
static_assert(derivative_of<[](auto w, auto x) {
                  const auto column = reshape(x, {3, 1});
                  return sum(square(dot(w, column)));
              }>(Matrix{{{1, 2, 0}, {0, 1, 3}}}, Three{1, 2, 1}) ==
              std::tuple{Matrix{{{10, 20, 10}, {10, 20, 10}}}, Three{10, 30, 30}});

}  // namespace

TEST_CASE("Derivatives that the compiler has computed are those of formulas, and the same when the program runs") {
    // Along a polynomial of two arguments: d/dx x³y - 2x/y = 3x²y - 2/y, d/dy = x³ + 2x/y².
    constexpr auto f = [](auto x, auto y) { return x * x * x * y - 2.0 * x / y; };
    for (double x = -2; x < 2.1; x += 0.5)
        for (double y = 0.25; y < 2; y += 0.25) {
            const auto [dx, dy] = derivative_of<f>(x, y);
            CHECK(dx == Approx(3 * x * x * y - 2 / y));
            CHECK(dy == Approx(x * x * x + 2 * x / (y * y)));
        }
    CHECK(std::isnan(derivative_of<[](auto x) { return x / x; }>(0.0)));
}

TEST_CASE("Movement, broadcasting and means have the derivatives of their elements") {
    constexpr auto f = [](auto w, auto b) {
        const auto both = concatenate(axis(0), w, reshape(b, {1, 3}));  // (3, 3)
        return mean(square(transpose(both) + b)) + sum(w * b) / 2.0;    // element (j, i) of wᵀ meets b[i]
    };
    const Matrix w{{{1, 2, -1}, {0.5, 1, 3}}};
    const Three b{1, -2, 0.5};
    const auto value = [&](const Matrix& v, const Three& c) {
        double total = 0;
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 3; ++i) {
                const double x = (i < 2 ? v[i][j] : c[j]) + c[i];
                total += x * x / 9;
                if (i < 2) total += v[i][j] * c[j] / 2;
            }
        return total;
    };
    const auto [dw, db] = derivative_of<f>(w, b);
    const double h = 1e-6;
    for (std::size_t j = 0; j < 3; ++j) {
        Three above = b, below = b;
        above[j] += h;
        below[j] -= h;
        CHECK(db[j] == Approx((value(w, above) - value(w, below)) / (2 * h)).epsilon(1e-7));
        for (std::size_t i = 0; i < 2; ++i) {
            Matrix up = w, down = w;
            up[i][j] += h;
            down[i][j] -= h;
            CHECK(dw[i][j] == Approx((value(up, b) - value(down, b)) / (2 * h)).epsilon(1e-7));
        }
    }
}
