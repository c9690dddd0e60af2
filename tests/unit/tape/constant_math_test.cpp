// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/tape/constant_math.hpp>
#include <sigma/tape/scalar_value.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

using namespace sigma;

namespace constant {
using namespace sigma::detail::constant_math;
/// What the row of an operation makes of them.
constexpr double of_row(sigma::detail::Operation o, double x) {
    return debugging::scalar_value<Number>(o, x, 0, 0).value;
}
constexpr double tan(double x) { return of_row(sigma::detail::Operation::tan, x); }
constexpr double asin(double x) { return of_row(sigma::detail::Operation::asin, x); }
constexpr double acos(double x) { return of_row(sigma::detail::Operation::acos, x); }
}  // namespace constant

namespace {

constexpr double huge = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// How many doubles are between two.
double ulps(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : huge;
    if (a == b) return 0;
    if (std::signbit(a) != std::signbit(b) || std::isinf(a) || std::isinf(b)) return huge;
    const auto x = std::bit_cast<std::int64_t>(a), y = std::bit_cast<std::int64_t>(b);
    return static_cast<double>(x > y ? x - y : y - x);
}
/// Numbers of both signs and of all magnitudes between these, and special ones.
std::vector<double> arguments(double least, double greatest) {
    std::vector<double> all{0.0, -0.0, huge, -huge, std::nan(""), 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, smallest};
    Philox random(3);
    std::vector<double> uniform(30000);
    random.fill_uniform(std::span<double>(uniform), 0.0, 1.0);
    for (std::size_t i = 0; i + 1 < uniform.size(); i += 2) {
        const double x = std::exp2(std::log2(least) + uniform[i] * (std::log2(greatest) - std::log2(least)));
        all.push_back(uniform[i + 1] < 0.5 ? x : -x);
    }
    return all;
}
template <class F, class G>
void check_close(const char* what, F constant_function, G function, double least, double greatest, double most) {
    double worst = 0, at = 0;
    for (const double x : arguments(least, greatest)) {
        const double apart = ulps(constant_function(x), function(x));
        if (apart > worst) worst = apart, at = x;
    }
    INFO(what << "(" << at << "): found " << constant_function(at) << ", by the library " << function(at));
    CHECK(worst <= most);
}
#define SIGMA_TEST_CLOSE(f, least, greatest, most) \
    check_close(#f, [](double x) { return constant::f(x); }, [](double x) { return std::f(x); }, least, greatest, most)

// The compiler evaluates them, at ends of domains too.
static_assert(constant::exp(0.0) == 1 && constant::exp(710.0) == huge && constant::exp(-746.0) == 0);
static_assert(constant::log(1.0) == 0 && constant::log(0.0) == -huge && constant::log(-1.0) != constant::log(-1.0));
static_assert(constant::sqrt(2.25) == 1.5 && constant::sqrt(0.0) == 0 && constant::sqrt(smallest) > 0);
static_assert(constant::sin(0.0) == 0 && constant::cos(0.0) == 1 && constant::sin(1e300) < 1);
static_assert(constant::tanh(30.0) == 1 && constant::erf(-7.0) == -1 && constant::sigmoid(0.0) == 0.5);
static_assert(constant::asin(1.0) == std::numbers::pi / 2 && constant::acos(-1.0) == std::numbers::pi);
static_assert(constant::atan(huge) == std::numbers::pi / 2);
static_assert(constant::pow(2.0, 10.0) == 1024 && constant::pow(2.0, -3.0) == 0.125);
static_assert(constant::pow(-3.0, 3.0) == -27 && constant::pow(10.0, 400.0) == huge && constant::pow(-8.0, 0.5) != 0);
static_assert(constant::round(2.5) == 2 && constant::round(-3.5) == -4 && constant::floor(-0.5) == -1);
static_assert(constant::mod(1.7e308, 2.0) == 0 && constant::mod(-1.0, 3.0) == 2 && constant::mod(5.5, 2.0) == 1.5 &&
              constant::mod(1e300, -7.0) < 0);
static_assert(constant::scaled(1.0, -1074) == smallest && constant::scaled(1.5, 1024) == huge);

}  // namespace

TEST_CASE("Constant functions are those of the standard library, to a few units in the last place") {
    SIGMA_TEST_CLOSE(exp, 1e-18, 745, 2);
    SIGMA_TEST_CLOSE(expm1, 1e-300, 740, 3);
    SIGMA_TEST_CLOSE(log, 5e-324, 1.7e308, 2);
    SIGMA_TEST_CLOSE(log1p, 1e-300, 1e300, 3);
    SIGMA_TEST_CLOSE(log1p, 1e-3, 10, 3);
    SIGMA_TEST_CLOSE(sqrt, 5e-324, 1.7e308, 1);
    SIGMA_TEST_CLOSE(tanh, 1e-300, 40, 4);
    SIGMA_TEST_CLOSE(sin, 1e-300, 1.7e308, 2);
    SIGMA_TEST_CLOSE(cos, 1e-300, 1.7e308, 2);
    SIGMA_TEST_CLOSE(tan, 1e-300, 1.7e308, 4);
    SIGMA_TEST_CLOSE(sin, 0.1, 1e5, 2);
    SIGMA_TEST_CLOSE(cos, 0.1, 1e5, 2);
    SIGMA_TEST_CLOSE(asin, 1e-300, 1.0, 4);
    SIGMA_TEST_CLOSE(acos, 1e-3, 1.0, 4);
    SIGMA_TEST_CLOSE(atan, 1e-300, 1e300, 2);
    SIGMA_TEST_CLOSE(erf, 1e-300, 8, 6);
    SIGMA_TEST_CLOSE(erf, 0.3, 4, 6);
    SIGMA_TEST_CLOSE(floor, 1e-3, 1e20, 0);
    check_close(
        "sigmoid", [](double x) { return constant::sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, 1e-9,
        30, 4);
    check_close(
        "round", [](double x) { return constant::round(x); }, [](double x) { return std::nearbyint(x); }, 1e-3, 1e20,
        0);
}

TEST_CASE("Angles next to multiples of half a turn keep their digits") {
    for (int k = 1; k < 2000; ++k) {
        const double x = k * (std::numbers::pi / 2);
        CHECK(ulps(constant::sin(x), std::sin(x)) <= 2);
        CHECK(ulps(constant::cos(x), std::cos(x)) <= 2);
    }
    // The double that is nearest to a multiple of half a turn, of all (Muller et al. 2010, section 11.1).
    const double near = std::ldexp(6381956970095103.0, 797);
    CHECK(constant::cos(near) == -0x1.14ae72e6ba22fp-61);  // by 2000 bits; that of glibc 2.36 is 8 units beside it
}

TEST_CASE("Powers are those of the standard library") {
    const std::vector<double> bases = arguments(5e-324, 1.7e308), exponents = arguments(1e-3, 300);
    double worst = 0;
    const auto look = [&](double a, double b) {
        const double apart = ulps(constant::pow(a, b), std::pow(a, b));
        worst = std::max(worst, apart);
        if (apart <= 2) return;
        INFO(a << " to the power of " << b << ": " << constant::pow(a, b) << ", " << std::pow(a, b));
        CHECK(apart <= 2);
    };
    for (std::size_t i = 0; i < bases.size(); ++i) {
        look(bases[i], exponents[i]);
        look(1 + exponents[i] * 1e-6, bases[i] > 1e-3 && bases[i] < 1e6 ? bases[i] : 3e5);
    }
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t k = 0; k < 12; ++k) look(bases[i], bases[k]);
    for (int n = -40; n <= 40; ++n)
        for (const double a : {-2.5, -1.0, -0.3, 0.7, 3.0}) look(a, n);
    CHECK(worst <= 2);
}
