// SPDX-License-Identifier: BSL-1.0
// Functions of one operand through the public interface. Their accuracy over the whole range is tested in
// device/cpu/math_test.cpp; here every vector tail, special values, and that each name calls the right function.
#include "support.hpp"

#include <sigma/tape/interpreter.hpp>

#include "support/special_points.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

// `y` is greater than -0.9, the others are any numbers.
constexpr auto exponentials = [](auto x, auto y) {
    return std::tuple{exp(x), log(y), log1p(y), expm1(x), tanh(x), sigmoid(x)};
};
constexpr auto others = [](auto x, auto y) {
    return std::tuple{-x, abs(x), sign(x), sqrt(y), rsqrt(y), sin(x), cos(x), stop_gradient(x), square(x)};
};
constexpr auto composed = [](auto x) { return std::tuple{relu(x), softplus(x), gelu(x)}; };

double softplus_of(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double gelu_of(double x) { return x / (1 + std::exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x))); }

template <class R, class X, class F>
double deviation_from(const R& found, const X& x, F f) {
    Reference wanted(x);
    for (double& v : wanted.data) v = f(v);
    return relative_error(found, wanted);
}

}  // namespace

TEMPLATE_TEST_CASE("functions of one operand, for every length of tail", "[function]", float, double) {
    using T = TestType;
    // 6 ulp of tanh in float; all others are below 4 (docs/accuracy.md).
    constexpr double tolerance = 6 * epsilon<T>;
    for (std::size_t n = 1; n <= 33; ++n) {
        const auto x = random<T, 1>(n, {n}, -5, 5), y = random<T, 1>(n + 100, {n}, 0.01, 9);
        const auto e = evaluate(exponentials)(x, y);
        CAPTURE(n);
        CHECK(deviation_from(std::get<0>(e), x, [](double v) { return std::exp(v); }) < tolerance);
        CHECK(deviation_from(std::get<1>(e), y, [](double v) { return std::log(v); }) < tolerance);
        CHECK(deviation_from(std::get<2>(e), y, [](double v) { return std::log1p(v); }) < tolerance);
        CHECK(deviation_from(std::get<3>(e), x, [](double v) { return std::expm1(v); }) < tolerance);
        CHECK(deviation_from(std::get<4>(e), x, [](double v) { return std::tanh(v); }) < tolerance);
        CHECK(deviation_from(std::get<5>(e), x, [](double v) { return 1 / (1 + std::exp(-v)); }) < tolerance);
        const auto o = evaluate(others)(x, y);
        CHECK(deviation_from(std::get<0>(o), x, [](double v) { return -v; }) == 0);
        CHECK(deviation_from(std::get<1>(o), x, [](double v) { return std::abs(v); }) == 0);
        CHECK(deviation_from(std::get<2>(o), x, [](double v) { return v > 0 ? 1.0 : -1.0; }) == 0);
        CHECK(deviation_from(std::get<3>(o), y, [](double v) { return std::sqrt(v); }) < tolerance);
        CHECK(deviation_from(std::get<4>(o), y, [](double v) { return 1 / std::sqrt(v); }) < tolerance);
        CHECK(deviation_from(std::get<5>(o), x, [](double v) { return std::sin(v); }) < tolerance);
        CHECK(deviation_from(std::get<6>(o), x, [](double v) { return std::cos(v); }) < tolerance);
        CHECK(deviation_from(std::get<7>(o), x, [](double v) { return v; }) == 0);
        CHECK(deviation_from(std::get<8>(o), x, [](double v) { return v * v; }) < tolerance);
        const auto c = evaluate(composed)(x);
        CHECK(deviation_from(std::get<0>(c), x, [](double v) { return std::max(v, 0.0); }) == 0);
        CHECK(deviation_from(std::get<1>(c), x, softplus_of) < tolerance);
        // The argument of the exponential, up to 17, multiplies its rounding.
        CHECK(deviation_from(std::get<2>(c), x, gelu_of) < 8 * tolerance);
    }
}

TEMPLATE_TEST_CASE("special values", "[function]", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
    const xt::xtensor<T, 1> x{0, T(-0.0), inf, -inf, nan, tiny, -tiny, huge, -huge, 100, -100};
    const auto examine = [&](const auto& found, const std::vector<T>& wanted) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(i, x(i), found(i), wanted[i]);
            CHECK((std::isnan(wanted[i]) ? std::isnan(found(i)) : found(i) == wanted[i]));
        }
    };
    const T log_tiny = std::log(tiny), log_huge = std::log(huge);
    const auto e = evaluate(exponentials)(x, x);
    examine(std::get<0>(e), {1, 1, inf, 0, nan, 1, 1, inf, 0});
    examine(std::get<2>(e), {0, 0, inf, nan, nan, tiny, -tiny, log_huge, nan});
    examine(std::get<3>(e), {0, 0, inf, -1, nan, 0, 0, inf, -1});
    examine(std::get<4>(e), {0, 0, 1, -1, nan, tiny, -tiny, 1, -1, 1, -1});
    examine(std::get<5>(e), {T(0.5), T(0.5), 1, 0, nan, T(0.5), T(0.5), 1, 0, 1});
    CHECK(std::get<1>(e)(0) == -inf);
    CHECK(std::get<1>(e)(2) == inf);
    CHECK(std::isnan(std::get<1>(e)(3)));
    CHECK(std::isnan(std::get<1>(e)(4)));
    CHECK(std::get<1>(e)(5) == Approx(log_tiny));
    CHECK(std::isnan(std::get<1>(e)(6)));
    const auto o = evaluate(others)(x, x);
    examine(std::get<0>(o), {0, 0, -inf, inf, nan, -tiny, tiny, -huge, huge});
    CHECK(std::signbit(std::get<0>(o)(0)));
    CHECK(!std::signbit(std::get<0>(o)(1)));
    examine(std::get<1>(o), {0, 0, inf, inf, nan, tiny, tiny, huge, huge});
    examine(std::get<2>(o), {0, 0, 1, -1, nan, 1, -1, 1, -1, 1, -1});
    examine(std::get<3>(o), {0, 0, inf, nan, nan, std::sqrt(tiny), nan, std::sqrt(huge), nan, 10, nan});
    examine(std::get<8>(o), {0, 0, inf, inf, nan, 0, 0, inf, inf, 10000, 10000});
    CHECK(std::isnan(std::get<5>(o)(2)));
    CHECK(std::isnan(std::get<6>(o)(3)));
    const auto c = evaluate(composed)(x);
    examine(std::get<0>(c), {0, 0, inf, 0, nan, tiny, 0, huge, 0, 100, 0});
    CHECK(std::get<1>(c)(9) == 100);
    CHECK(std::get<1>(c)(10) == Approx(std::exp(-100.0)).margin(0).epsilon(0.02));  // 27 denormal steps in float
    CHECK(std::get<2>(c)(9) == 100);
    CHECK(std::get<2>(c)(10) == 0);
}

TEST_CASE("an activation keeps its accuracy far from zero", "[function]") {
    const xt::xtensor<float, 1> x{-80, -50, -20, -10, 10, 20, 50, 80};
    const auto y = evaluate([](auto v) { return sigmoid(v); })(x);
    for (std::size_t i = 0; i < x.size(); ++i)  // 3.5 ulp
        CHECK(y(i) == Approx(1 / (1 + std::exp(-double{x(i)}))).margin(0).epsilon(3.5 * epsilon<float>));
}

TEMPLATE_TEST_CASE("every function and its slope at zeros, infinities, NaN, tiny and huge numbers", "[function]", float,
                   double) {
    using T = TestType;
    const std::vector<T> points = special_points<T>();
    xt::xtensor<T, 1> x(std::array<std::size_t, 1>{points.size()});
    std::copy(points.begin(), points.end(), x.begin());
    const auto examine = [&]<int part>(std::integral_constant<int, part>) {
        using F = SpecialFunctions<part>;
        std::vector<std::vector<T>> found;
        const auto results = evaluate(F{})(x);
        std::apply([&](const auto&... r) { (found.emplace_back(r.begin(), r.end()), ...); }, results);
        CHECK(special_difference<part>(points, found) == "");
        const sigma::detail::Program program = sigma::detail::FunctionProgram<F, Shape(batch)>{}();
        const auto count = static_cast<long long>(points.size());
        found = debugging::interpret<T>(program, {{points}, {}, {}, {}}, count).outputs;
        CHECK(special_difference<part>(points, found) == "");
    };
    [&]<int... part>(std::integer_sequence<int, part...>) {
        (examine(std::integral_constant<int, part>{}), ...);
    }(std::make_integer_sequence<int, special_parts>{});
}

TEMPLATE_TEST_CASE("the logarithm of an exponential that is 0 or infinite", "[function]", float, double) {
    const xt::xtensor<TestType, 1> x{-1000, 1000, 1};
    const auto y = evaluate([](auto v) { return log(exp(v)); })(x);
    CHECK(y(0) == -std::numeric_limits<TestType>::infinity());
    CHECK(y(1) == std::numeric_limits<TestType>::infinity());
    CHECK(y(2) == Approx(1));
}
