// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/math.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace sigma;
using on_cpu::lanes;
using on_cpu::Vector;

namespace {

template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <detail::Operation o, class T>
void apply(const T* x, const T* y, T* to) {
    const auto a = Vector<T>::load_unaligned(x), b = Vector<T>::load_unaligned(y);
    on_cpu::evaluate<o, T>(a, b, a).store_unaligned(to);
}
template <detail::Operation o, class T>
T at(T x, T y = T(0)) {
    T a[lanes<T>], b[lanes<T>], to[lanes<T>];
    std::fill_n(a, lanes<T>, x);
    std::fill_n(b, lanes<T>, y);
    apply<o>(a, b, to);
    return to[lanes<T> - 1];
}

/// Returns the distance from the true value in units in its last place, including subnormal numbers.
template <class T>
double ulps(T found, Wide<T> wanted) {
    const T rounded = static_cast<T>(wanted);
    if (std::isnan(wanted)) return std::isnan(found) ? 0 : 1e30;
    if (std::isinf(rounded) || std::isinf(found)) return rounded == found ? 0 : 1e30;
    int exponent = 0;
    std::frexp(wanted, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    const Wide<T> unit = std::ldexp(Wide<T>(1), exponent - std::numeric_limits<T>::digits);
    return static_cast<double>(std::abs(static_cast<Wide<T>>(found) - wanted) / unit);
}

/// Returns the greatest error over numbers inside [low, high], spread evenly and over all magnitudes.
template <detail::Operation o, class T, class F>
double worst(F wanted, double low, double high) {
    std::mt19937_64 bits(7);
    std::uniform_real_distribution<double> part(0, 1);
    double greatest = 0;
    for (int round = 0; round < 20000; ++round) {
        T x[lanes<T>], y[lanes<T>];
        for (T& v : x) {
            double drawn = std::exp2(part(bits) * (sizeof(T) == 4 ? 274 : 2094) - (sizeof(T) == 4 ? 148 : 1073));
            if (bits() % 2 == 0) drawn = -drawn;
            if (bits() % 2 == 0 || !(drawn >= low && drawn <= high)) drawn = low + (high - low) * part(bits);
            v = static_cast<T>(drawn);
        }
        apply<o>(x, x, y);
        for (int i = 0; i < lanes<T>; ++i)
            greatest = std::max(greatest, ulps<T>(y[i], wanted(static_cast<Wide<T>>(x[i]))));
    }
    return greatest;
}

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <class T>
bool negative_zero(T x) {
    return x == 0 && std::signbit(x);
}

}  // namespace

// The bounds are those of docs/accuracy.md: the greatest error seen over 3 million numbers with g++ and clang, for SSE2
// (no fma), AVX and AVX2, rounded up.
TEMPLATE_TEST_CASE("elementary functions are accurate over their whole range", "[math]", float, double) {
    using T = TestType;
    using L = Wide<T>;
    constexpr bool single = sizeof(T) == 4;
    constexpr double greatest = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
    constexpr double exp_low = single ? -104 : -745.2, exp_high = single ? 88.7 : 709.7;
    CHECK(worst<detail::Operation::exp, T>([](L x) { return std::exp(x); }, exp_low, exp_high) < 1.5);
    CHECK(worst<detail::Operation::expm1, T>([](L x) { return std::expm1(x); }, -60, exp_high) < 2);
    CHECK(worst<detail::Operation::expm1, T>([](L x) { return std::expm1(x); }, -1, 1) < 2);
    CHECK(worst<detail::Operation::log, T>([](L x) { return std::log(x); }, least, greatest) < 1);
    CHECK(worst<detail::Operation::log, T>([](L x) { return std::log(x); }, 0.5, 2) < 1);
    CHECK(worst<detail::Operation::log1p, T>([](L x) { return std::log1p(x); }, -0.9999, greatest) < 1);
    CHECK(worst<detail::Operation::log1p, T>([](L x) { return std::log1p(x); }, -0.5, 2) < 1);
    CHECK(worst<detail::Operation::sqrt, T>([](L x) { return std::sqrt(x); }, 0, greatest) <= 0.5);
    CHECK(worst<detail::Operation::rsqrt, T>([](L x) { return 1 / std::sqrt(x); }, least, greatest) < 1.6);
    CHECK(worst<detail::Operation::tanh, T>([](L x) { return std::tanh(x); }, -30, 30) < (single ? 6 : 1.5));
    CHECK(worst<detail::Operation::tanh, T>([](L x) { return std::tanh(x); }, -2, 2) < (single ? 4.5 : 1.5));
    // If e^-x overflows, the result is 0 instead of a subnormal number; hence not below -88.7 (-709.7).
    CHECK(worst<detail::Operation::sigmoid, T>([](L x) { return 1 / (1 + std::exp(-x)); }, -exp_high, 100) < 3.5);
    CHECK(worst<detail::Operation::sin, T>([](L x) { return std::sin(x); }, -100, 100) < 2);
    CHECK(worst<detail::Operation::sin, T>([](L x) { return std::sin(x); }, -1e30, 1e30) < 2.5);
    CHECK(worst<detail::Operation::cos, T>([](L x) { return std::cos(x); }, -100, 100) < 2);
    CHECK(worst<detail::Operation::cos, T>([](L x) { return std::cos(x); }, -1e30, 1e30) < 2.5);
    CHECK(worst<detail::Operation::tan, T>([](L x) { return std::tan(x); }, -100, 100) < 4.5);
    CHECK(worst<detail::Operation::tan, T>([](L x) { return std::tan(x); }, -1e30, 1e30) < 4.5);
    CHECK(worst<detail::Operation::asin, T>([](L x) { return std::asin(x); }, -1, 1) < (single ? 3.5 : 2.5));
    CHECK(worst<detail::Operation::acos, T>([](L x) { return std::acos(x); }, -1, 1) < (single ? 3.5 : 2.5));
    CHECK(worst<detail::Operation::atan, T>([](L x) { return std::atan(x); }, -10, 10) < (single ? 2.5 : 1));
    CHECK(worst<detail::Operation::atan, T>([](L x) { return std::atan(x); }, -greatest, greatest) <
          (single ? 2.5 : 1));
    CHECK(worst<detail::Operation::erf, T>([](L x) { return std::erf(x); }, -7, 7) < 3);
    CHECK(worst<detail::Operation::erf, T>([](L x) { return std::erf(x); }, -1.1, 1.1) < 3);
    CHECK(worst<detail::Operation::floor, T>([](L x) { return std::floor(x); }, -10, 10) == 0);
    CHECK(worst<detail::Operation::floor, T>([](L x) { return std::floor(x); }, -greatest, greatest) == 0);
    CHECK(worst<detail::Operation::round, T>([](L x) { return std::nearbyint(x); }, -10, 10) == 0);
    CHECK(worst<detail::Operation::round, T>([](L x) { return std::nearbyint(x); }, -greatest, greatest) == 0);
}

TEMPLATE_TEST_CASE("mod is exact for every sign and size", "[math]", float, double) {
    using T = TestType;
    const auto wanted = [](T a, T b) {  // exact except for one rounding if the signs differ
        const T r = std::fmod(a, b);
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    };
    std::mt19937_64 bits(11);
    int wrong = 0;
    for (int round = 0; round < 60000; ++round) {
        T a[lanes<T>], b[lanes<T>], y[lanes<T>];
        const int size = round % 4;  // magnitude of the quotient: 1, a thousand, large, any
        for (int i = 0; i < lanes<T>; ++i) {
            const auto number = [&] { return static_cast<T>(static_cast<double>(bits() % 2000001) - 1e6) / T(1e6); };
            b[i] = number();
            a[i] = number() * static_cast<T>(size == 0 ? 1 : size == 1 ? 1e3 : 1e12);
            if (bits() % 5 == 0) a[i] = b[i] * static_cast<T>(bits() % 1000);  // no remainder, or almost the divisor
            if (size < 3) continue;
            const T rare[] = {0,
                              T(-0.0),
                              infinity<T>,
                              -infinity<T>,
                              nan_of<T>,
                              std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::max()};
            if (bits() % 8 == 0) a[i] = rare[bits() % std::size(rare)];
            if (bits() % 8 == 0) b[i] = rare[bits() % std::size(rare)];
        }
        apply<detail::Operation::mod>(a, b, y);
        for (int i = 0; i < lanes<T>; ++i) {
            const T right = wanted(a[i], b[i]);
            if (y[i] == right || (std::isnan(y[i]) && std::isnan(right))) continue;
            CAPTURE(a[i], b[i], y[i], right);
            if (++wrong == 1) CHECK(y[i] == right);
        }
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("pow is accurate for every sign and size", "[math]", float, double) {
    using T = TestType;
    std::mt19937_64 bits(3);
    std::uniform_real_distribution<double> part(-1, 1);
    double greatest = 0;
    for (int round = 0; round < 5000; ++round) {
        T x[lanes<T>], p[lanes<T>], y[lanes<T>];
        for (int i = 0; i < lanes<T>; ++i) {
            const bool whole = bits() % 2 == 0;
            x[i] = static_cast<T>(std::exp2(20 * part(bits)) * (whole && bits() % 2 == 0 ? -1 : 1));
            p[i] = static_cast<T>(whole ? std::round(12 * part(bits)) : 4 * part(bits));
        }
        apply<detail::Operation::power>(x, p, y);
        for (int i = 0; i < lanes<T>; ++i)
            greatest =
                std::max(greatest, ulps<T>(y[i], std::pow(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(p[i]))));
    }
    CHECK(greatest < 1);  // the error of the C library

    const T numbers[] = {0, T(-0.0), 1, -1, 2, -2, T(0.5), 3, -3, 200, infinity<T>, -infinity<T>, nan_of<T>};
    for (const T x : numbers)
        for (const T p : numbers) {
            const T wanted = std::pow(x, p), found = at<detail::Operation::power>(x, p);
            CAPTURE(x, p, wanted, found);
            CHECK((std::isnan(wanted) ? std::isnan(found)
                                      : wanted == found && std::signbit(wanted) == std::signbit(found)));
        }
}

TEMPLATE_TEST_CASE("elementary functions at the ends of their range", "[math]", float, double) {
    using T = TestType;
    constexpr T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
    constexpr T inf = infinity<T>;
    CHECK(at<detail::Operation::exp, T>(0) == 1);
    CHECK(at<detail::Operation::exp, T>(T(-0.0)) == 1);
    CHECK(at<detail::Operation::exp, T>(inf) == inf);
    CHECK(at<detail::Operation::exp, T>(-inf) == 0);
    CHECK(at<detail::Operation::exp, T>(huge) == inf);
    CHECK(at<detail::Operation::exp, T>(-huge) == 0);
    CHECK(at<detail::Operation::exp, T>(sizeof(T) == 4 ? T(-200) : T(-800)) == 0);
    CHECK(at<detail::Operation::exp, T>(sizeof(T) == 4 ? T(88.72) : T(709.78)) < inf);
    CHECK(at<detail::Operation::exp, T>(sizeof(T) == 4 ? T(88.73) : T(709.79)) == inf);

    CHECK(negative_zero(at<detail::Operation::expm1, T>(T(-0.0))));
    CHECK(at<detail::Operation::expm1, T>(-inf) == -1);
    CHECK(at<detail::Operation::expm1, T>(-100) == -1);
    CHECK(at<detail::Operation::expm1, T>(inf) == inf);

    CHECK(at<detail::Operation::log, T>(0) == -inf);
    CHECK(at<detail::Operation::log, T>(T(-0.0)) == -inf);
    CHECK(at<detail::Operation::log, T>(1) == 0);
    CHECK(at<detail::Operation::log, T>(inf) == inf);
    CHECK(std::isnan(at<detail::Operation::log, T>(-1)));
    CHECK(std::isnan(at<detail::Operation::log, T>(-inf)));
    CHECK(at<detail::Operation::log1p, T>(-1) == -inf);
    CHECK(std::isnan(at<detail::Operation::log1p, T>(-2)));
    CHECK(at<detail::Operation::log1p, T>(tiny) == tiny);
    CHECK(at<detail::Operation::log1p, T>(inf) == inf);

    CHECK(negative_zero(at<detail::Operation::sqrt, T>(T(-0.0))));
    CHECK(std::isnan(at<detail::Operation::sqrt, T>(-1)));
    CHECK(at<detail::Operation::rsqrt, T>(0) == inf);
    CHECK(at<detail::Operation::rsqrt, T>(inf) == 0);

    CHECK(at<detail::Operation::tanh, T>(100) == 1);
    CHECK(at<detail::Operation::tanh, T>(-100) == -1);
    CHECK(at<detail::Operation::tanh, T>(inf) == 1);
    CHECK(at<detail::Operation::tanh, T>(-inf) == -1);
    CHECK(negative_zero(at<detail::Operation::tanh, T>(T(-0.0))));
    CHECK(at<detail::Operation::tanh, T>(tiny) == tiny);
    CHECK(at<detail::Operation::tanh, T>(T(1e-20)) == T(1e-20));
    for (T x = 0; x < 20; x += T(0.001)) {  // odd, and never beyond 1
        const T y = at<detail::Operation::tanh>(x);
        if (!(y <= 1) || at<detail::Operation::tanh>(-x) != -y) FAIL("tanh(" << x << ") = " << y);
    }

    CHECK(at<detail::Operation::sigmoid, T>(0) == T(0.5));
    CHECK(at<detail::Operation::sigmoid, T>(inf) == 1);
    CHECK(at<detail::Operation::sigmoid, T>(-inf) == 0);
    CHECK(std::isnan(at<detail::Operation::sin, T>(inf)));
    CHECK(std::isnan(at<detail::Operation::cos, T>(-inf)));
    CHECK(negative_zero(at<detail::Operation::sin, T>(T(-0.0))));
    CHECK(at<detail::Operation::cos, T>(0) == 1);
    CHECK(negative_zero(at<detail::Operation::tan, T>(T(-0.0))));
    CHECK(std::isnan(at<detail::Operation::tan, T>(inf)));
    CHECK(negative_zero(at<detail::Operation::asin, T>(T(-0.0))));
    CHECK(at<detail::Operation::asin, T>(1) == T(1.57079632679489662));
    CHECK(at<detail::Operation::asin, T>(-1) == T(-1.57079632679489662));
    CHECK(std::isnan(at<detail::Operation::asin, T>(T(1.5))));
    CHECK(at<detail::Operation::acos, T>(1) == 0);
    CHECK(at<detail::Operation::acos, T>(-1) == T(3.14159265358979324));
    CHECK(std::isnan(at<detail::Operation::acos, T>(-2)));
    CHECK(negative_zero(at<detail::Operation::atan, T>(T(-0.0))));
    CHECK(at<detail::Operation::atan, T>(inf) == T(1.57079632679489662));
    CHECK(at<detail::Operation::atan, T>(-inf) == T(-1.57079632679489662));
    CHECK(at<detail::Operation::atan, T>(tiny) == tiny);
    CHECK(negative_zero(at<detail::Operation::erf, T>(T(-0.0))));
    CHECK(at<detail::Operation::erf, T>(inf) == 1);
    CHECK(at<detail::Operation::erf, T>(-inf) == -1);
    CHECK(at<detail::Operation::erf, T>(100) == 1);
    for (const detail::Operation o : {detail::Operation::floor, detail::Operation::round}) {
        const auto whole = [&](T x) {
            return o == detail::Operation::floor ? at<detail::Operation::floor>(x) : at<detail::Operation::round>(x);
        };
        CHECK(negative_zero(whole(T(-0.0))));
        CHECK(whole(inf) == inf);
        CHECK(whole(-inf) == -inf);
    }
    CHECK(negative_zero(at<detail::Operation::mod, T>(T(-0.0), T(3))));
    CHECK(negative_zero(at<detail::Operation::mod, T>(T(-6), T(3))));
    CHECK(!std::signbit(at<detail::Operation::mod, T>(T(6), T(-3))));
    CHECK(at<detail::Operation::floor, T>(-tiny) == -1);
    CHECK(negative_zero(at<detail::Operation::round, T>(T(-0.5))));
    CHECK(at<detail::Operation::round, T>(T(2.5)) == 2);
    CHECK(at<detail::Operation::round, T>(T(-3.5)) == -4);

    CHECK(at<detail::Operation::sign, T>(tiny) == 1);
    CHECK(at<detail::Operation::sign, T>(-inf) == -1);
    CHECK(at<detail::Operation::sign, T>(0) == 0);
    CHECK(!std::signbit(at<detail::Operation::absolute, T>(T(-0.0))));
    CHECK(at<detail::Operation::absolute, T>(-inf) == inf);
}

TEMPLATE_TEST_CASE("NaN passes through every function, and through max and min from either side", "[math]", float,
                   double) {
    using T = TestType;
    constexpr T nan = nan_of<T>;
    const auto passes = [](auto... y) { return (std::isnan(y) && ...); };
    CHECK(passes(at<detail::Operation::exp>(nan), at<detail::Operation::expm1>(nan), at<detail::Operation::log>(nan),
                 at<detail::Operation::log1p>(nan), at<detail::Operation::sqrt>(nan), at<detail::Operation::rsqrt>(nan),
                 at<detail::Operation::tanh>(nan), at<detail::Operation::sigmoid>(nan), at<detail::Operation::sin>(nan),
                 at<detail::Operation::cos>(nan), at<detail::Operation::sign>(nan),
                 at<detail::Operation::absolute>(nan), at<detail::Operation::tan>(nan),
                 at<detail::Operation::asin>(nan), at<detail::Operation::acos>(nan), at<detail::Operation::atan>(nan),
                 at<detail::Operation::erf>(nan), at<detail::Operation::floor>(nan), at<detail::Operation::round>(nan),
                 at<detail::Operation::mod>(nan, T(1)), at<detail::Operation::mod>(T(1), nan)));
    for (const T other : {T(0), T(1), infinity<T>, -infinity<T>}) {
        CHECK(passes(at<detail::Operation::maximum>(nan, other), at<detail::Operation::maximum>(other, nan)));
        CHECK(passes(at<detail::Operation::minimum>(nan, other), at<detail::Operation::minimum>(other, nan)));
    }
    CHECK(at<detail::Operation::less>(nan, T(1)) == 0);
    CHECK(at<detail::Operation::less_equal>(nan, nan) == 0);
    CHECK(at<detail::Operation::equal>(nan, nan) == 0);
}

TEMPLATE_TEST_CASE("a lane does not depend on its neighbours", "[math]", float, double) {
    using T = TestType;
    T alone[lanes<T>], among[lanes<T>], x[lanes<T>];
    const auto examine = [&]<detail::Operation o>(std::integral_constant<detail::Operation, o>) {
        int different = 0;
        for (const T neighbour : {T(0), T(-1), T(2), T(30), T(5000), T(1e5), infinity<T>, nan_of<T>})
            for (T value = T(0.001); value < 3000; value *= T(1.013)) {
                std::fill_n(x, lanes<T>, value);
                apply<o>(x, x, alone);
                std::fill_n(x + 1, lanes<T> - 1, neighbour);
                apply<o>(x, x, among);
                different += among[0] != alone[0];
            }
        CAPTURE(name(o));
        CHECK(different == 0);
    };
    examine(std::integral_constant<detail::Operation, detail::Operation::exp>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::expm1>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::log>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::log1p>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::tanh>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::sigmoid>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::sin>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::cos>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::power>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::tan>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::atan>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::erf>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::floor>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::round>{});
    examine(std::integral_constant<detail::Operation, detail::Operation::mod>{});
}
