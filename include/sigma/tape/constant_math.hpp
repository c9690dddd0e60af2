// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// Functions of <cmath> for constant evaluation, which C++20 lacks. They are correct to a few units in the last place
// for every double; NaN, infinities and ends of domains are those of <cmath>. They are slower than <cmath>.
namespace sigma::detail::constant_math {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A number of 106 bits as the sum of two. The second is at most half a unit in the last place of the first.
struct Pair {
    double high = 0, low = 0;
};
inline constexpr Pair ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr Pair half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

constexpr double absolute(double x) { return x < 0 ? -x : x == 0 ? 0.0 : x; }
constexpr bool is_infinite(double x) { return x == infinite || x == -infinite; }
constexpr bool is_negative(double x) { return std::bit_cast<std::uint64_t>(x) >> 63 != 0; }

/// Returns the exact sum of two numbers, of which the first is the greater.
constexpr Pair sum_of(double a, double b) {
    const double high = a + b;
    return {high, b - (high - a)};
}
constexpr Pair exact_sum(double a, double b) {
    const double high = a + b, from_b = high - a;
    return {high, (a - (high - from_b)) + (b - from_b)};
}
/// Returns the exact product of numbers below 1e290 (Dekker 1971), since C++20 has no constant fma.
constexpr Pair exact_product(double a, double b) {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double a_high = splitter * a - (splitter * a - a), a_low = a - a_high;
    const double b_high = splitter * b - (splitter * b - b), b_low = b - b_high;
    const double high = a * b;
    return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
constexpr Pair operator+(const Pair& a, const Pair& b) {
    const Pair high = exact_sum(a.high, b.high);
    return sum_of(high.high, high.low + a.low + b.low);
}
constexpr Pair operator*(const Pair& a, const Pair& b) {
    const Pair high = exact_product(a.high, b.high);
    return sum_of(high.high, high.low + a.high * b.low + a.low * b.high);
}
constexpr Pair operator/(const Pair& a, const Pair& b) {
    const double first = a.high / b.high;
    const Pair back = Pair{-first, 0} * b;
    const Pair rest = a + back;
    return sum_of(first, rest.high / b.high);
}

/// Returns x · 2^n, rounded once if it is subnormal.
constexpr double scaled(double x, int n) {
    const auto power_of_2 = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); };
    for (; n > 1000; n -= 1000) {
        if (absolute(x) > 1e7) return x < 0 ? -infinite : infinite;
        x *= power_of_2(1000);
    }
    if (n < -2200) return x < 0 ? -0.0 : 0.0;
    if (n < -1022) {  // one factor that is exact for normal results, then one that rounds
        x *= power_of_2(-900);
        n += 900;
        if (n < -1022) return x * power_of_2(-1022) * power_of_2(n + 1022);
        return x * power_of_2(n);
    }
    const double greatest = std::numeric_limits<double>::max();
    if (n > 0 && absolute(x) > greatest * power_of_2(-n)) return x < 0 ? -infinite : infinite;
    return x * power_of_2(n);
}
/// A finite x above 0 as fraction · 2^exponent, with a fraction from √½ to √2.
struct Parts {
    double fraction;
    int exponent;
};
constexpr Parts parts_of(double x) {
    int exponent = 0;
    if (x < std::numeric_limits<double>::min()) x *= 0x1p54, exponent = -54;
    auto bits = std::bit_cast<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52) - 1023;
    bits = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1023} << 52);
    double fraction = std::bit_cast<double>(bits);
    if (fraction > 1.4142135623730951) fraction /= 2, ++exponent;
    return {fraction, exponent};
}

constexpr double floor(double x) {
    if (x != x || absolute(x) >= 0x1p52) return x;
    const double whole = static_cast<double>(static_cast<std::int64_t>(x));
    const double down = whole > x ? whole - 1 : whole;
    return down == 0 && is_negative(x) ? -0.0 : down;
}
/// Rounds to the nearest integer, halves to the even one.
constexpr double round(double x) {
    if (x != x || absolute(x) >= 0x1p52) return x;
    const double down = floor(x), over = x - down;
    const bool odd = static_cast<std::int64_t>(down) % 2 != 0;
    const double nearby = over > 0.5 || (over == 0.5 && odd) ? down + 1 : down;
    return nearby == 0 && is_negative(x) ? -0.0 : nearby;
}

/// Returns e^(x.high + x.low) as 2^k · e^r with |r| up to ½ln2.
constexpr double exp(const Pair& x) {
    if (x.high != x.high) return nan;
    if (x.high > 710) return infinite;
    if (x.high < -746) return 0;
    const int k = static_cast<int>(round(x.high / ln2.high));
    const Pair rest = x + Pair{-static_cast<double>(k), 0} * ln2;
    const double r = rest.high;
    double series = 0;
    for (int n = 16; n >= 2; --n) series = (1 + series) * r / n;  // r/2 + r²/6 + …
    return scaled(1 + (r + (r * series + rest.low)), k);
}
constexpr double exp(double x) { return exp(Pair{x, 0}); }

constexpr double expm1(double x) {
    if (x != x || x == 0) return x;
    if (absolute(x) > 1) return exp(x) - 1;
    double series = 0;
    for (int n = 22; n >= 2; --n) series = (1 + series) * x / n;
    return x + x * series;
}

/// Returns log(1 + f) - f, plus the part of 2^k, for f from √½ - 1 to √2 - 1; sums are rounded once.
constexpr double log_beside(double f, int k) {
    constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;  // k · ln2_high is exact
    const double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
    double series = 0;
    for (int n = 25; n >= 3; n -= 2) series = (2.0 / n + series) * z;
    const double whole = static_cast<double>(k);
    return whole * ln2_high - ((half_square - (s * (half_square + series) + whole * ln2_low)) - f);
}
constexpr double log(double x) {
    if (x != x || x < 0) return nan;
    if (x == 0) return -infinite;
    if (x == infinite) return x;
    const Parts parts = parts_of(x);
    return log_beside(parts.fraction - 1, parts.exponent);
}
constexpr double log1p(double x) {
    if (x != x || x < -1) return nan;
    if (x == -1) return -infinite;
    if (x == infinite || x == 0) return x;
    if (x > -0.29 && x < 0.41) return log_beside(x, 0);
    const double u = 1 + x;
    return absolute(x) > 1e16 ? log(x) : log(u) + (x > 1 ? 1 - (u - x) : x - (u - 1)) / u;
}
/// Returns the logarithm of a finite number above 0, with a relative error of 2^-65.
constexpr Pair log_pair(double x) {
    const Parts parts = parts_of(x);
    const Pair s = Pair{parts.fraction - 1, 0} / exact_sum(parts.fraction, 1);
    const Pair square = s * s;
    double series = 0;
    for (int n = 27; n >= 5; n -= 2) series = (1.0 / n + series) * square.high;  // s⁴/5 + … over s²
    const Pair third = Pair{1, 0} / Pair{3, 0};
    const Pair beside = square * (third + Pair{series, 0});
    const Pair sum = s + s * beside;
    return Pair{static_cast<double>(parts.exponent), 0} * ln2 + Pair{2 * sum.high, 2 * sum.low};
}

constexpr double sqrt(double x) {
    if (x != x || x < 0) return nan;
    if (x == 0 || x == infinite) return x;
    Parts parts = parts_of(x);
    if (parts.exponent % 2 != 0) parts.fraction *= 2, --parts.exponent;
    double root = 1.2;
    for (int i = 0; i < 6; ++i) root = 0.5 * (root + parts.fraction / root);
    const Pair square = exact_product(root, root);  // the error is less than a unit in the last place
    root += ((parts.fraction - square.high) - square.low) / (2 * root);
    return scaled(root, parts.exponent / 2);
}

constexpr double tanh(double x) {
    if (x != x || x == 0) return x;
    const double a = absolute(x);
    const double grown = a > 22 ? 0 : expm1(2 * a);
    const double t = a > 22 ? 1 : grown / (grown + 2);
    return x < 0 ? -t : t;
}
constexpr double sigmoid(double x) {
    if (x >= 0) return 1 / (1 + exp(-x));
    const double e = exp(x);
    return e / (1 + e);
}

/// An angle less the nearest multiple of ½π; `quarter` is the number of this multiple modulo 4.
struct Angle {
    Pair rest;
    int quarter;
};
/// Reduces a finite x from ¼π on (Payne and Hanek 1983): multiplies the relevant bits of 2/π by the 53 bits of x.
constexpr Angle reduced_angle(double x) {
    constexpr std::uint32_t two_over_pi[] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
    const int e = static_cast<int>(bits >> 52 & 2047) - 1075;  // x = m · 2^e
    const int first = e > 2 ? e - 2 : 0;                       // earlier bits make multiples of 4
    const auto word = [&](int i) {                             // the i-th 32 bits from `first` on
        const int at = (first + 32 * i) / 32, by = (first + 32 * i) % 32;
        const std::uint64_t both = std::uint64_t{two_over_pi[at]} << 32 | two_over_pi[at + 1];
        return both << by >> 32 & 0xffffffffu;
    };
    constexpr int words = 6;
    std::uint64_t product[words + 2]{};  // of 32 bits, the lowest first
    for (int i = 0; i < words; ++i) {
        const std::uint64_t w = word(words - 1 - i);
        const std::uint64_t lower = w * (m & 0xffffffffu), upper = w * (m >> 32);
        product[i] += lower & 0xffffffffu;
        product[i + 1] += (lower >> 32) + (upper & 0xffffffffu);
        product[i + 2] += upper >> 32;
    }
    for (int i = 0; i + 1 < words + 2; ++i) product[i + 1] += product[i] >> 32, product[i] &= 0xffffffffu;
    const int point = first + 32 * words - e;  // number of bits after the point
    const auto from_bit = [&](int at) {        // 32 bits, with this one as the lowest
        if (at + 32 <= 0) return std::uint64_t{0};
        const int i = at >> 5, by = at & 31;
        const std::uint64_t low = i >= 0 && i < words + 2 ? product[i] : 0;
        const std::uint64_t high = i + 1 >= 0 && i + 1 < words + 2 ? product[i + 1] : 0;
        return (high << 32 | low) >> by & 0xffffffffu;
    };
    int quarter = static_cast<int>(from_bit(point) & 3);
    std::uint64_t upper = from_bit(point - 32) << 32 | from_bit(point - 64);
    std::uint64_t lower = from_bit(point - 96) << 32 | from_bit(point - 128);
    const bool beyond = upper >> 63 != 0;
    if (beyond) {
        ++quarter;
        upper = ~upper, lower = ~lower;
    }
    const auto part = [](std::uint64_t w, double unit) { return static_cast<double>(w) * unit; };
    Pair turned = exact_sum(part(upper >> 32, 0x1p-32), part(upper & 0xffffffffu, 0x1p-64));
    turned = turned + Pair{part(lower >> 32, 0x1p-96), 0} + Pair{part(lower & 0xffffffffu, 0x1p-128), 0};
    if (beyond) turned = {-turned.high, -turned.low};
    return {turned * half_pi, quarter % 4};
}
constexpr Angle angle_of(double x) {
    if (absolute(x) < 0.7853981633974483) return {{x, 0}, 0};
    Angle angle = reduced_angle(absolute(x));
    if (x < 0) angle = {{-angle.rest.high, -angle.rest.low}, (4 - angle.quarter) % 4};
    return angle;
}
/// Returns the sine of angles up to ¼π.
constexpr double small_sin(const Pair& x) {
    const double z = x.high * x.high;
    double series = 0;
    for (int n = 22; n >= 2; n -= 2) series = -(1 + series) * z / (n * (n + 1));
    return x.high + (x.high * series + x.low * (1 - 0.5 * z));
}
constexpr double small_cos(const Pair& x) {
    const double z = x.high * x.high, half = 0.5 * z, one = 1 - half;
    double series = 0;
    for (int n = 23; n >= 3; n -= 2) series = -(1 + series) * z / (n * (n + 1));  // 1 - z/12 + …, less 1
    return one + (((1 - one) - half) - (half * series + x.high * x.low));
}
constexpr double sin(double x) {
    if (x != x || is_infinite(x)) return nan;
    if (x == 0) return x;
    const Angle angle = angle_of(x);
    const double s = angle.quarter % 2 == 0 ? small_sin(angle.rest) : small_cos(angle.rest);
    return angle.quarter >= 2 ? -s : s;
}
constexpr double cos(double x) {
    if (x != x || is_infinite(x)) return nan;
    const Angle angle = angle_of(x);
    const double c = angle.quarter % 2 == 0 ? small_cos(angle.rest) : small_sin(angle.rest);
    return angle.quarter == 1 || angle.quarter == 2 ? -c : c;
}
constexpr double atan(double x) {
    if (x != x || x == 0) return x;
    const double a = absolute(x);
    Pair around{};  // the arc tangent of a number near a: the rest is small
    double t = a;
    if (a > 2.4375) around = half_pi, t = a > 1e300 ? 0 : -1 / a;
    else if (a > 1.1875) around = {0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56}, t = (a - 1.5) / (1 + 1.5 * a);
    else if (a > 0.6875) around = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}, t = (a - 1) / (a + 1);
    else if (a > 0.4375) around = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, t = (2 * a - 1) / (2 + a);
    const double z = t * t;
    double series = 0;
    for (int n = 45; n >= 3; n -= 2) series = -(1.0 / n + series) * z;
    const double arc = around.high + ((t * series + around.low) + t);
    return x < 0 ? -arc : arc;
}
constexpr double erf(double x) {
    if (x != x || x == 0) return x;
    const double a = absolute(x);
    double result = 1;
    if (a < 6) {
        const Pair square = exact_product(a, a);
        const double falling = exp(Pair{-square.high, -square.low});
        if (a < 2) {  // 2/√π · e^-x² · Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, all terms positive
            const double q = 2 * square.high;
            double series = 1;
            for (int n = 121; n >= 3; n -= 2) series = 1 + series * q / n;
            result = 0x1.20dd750429b6dp+0 * (a * (falling * series));
        } else {  // 1 - erfc, by its continued fraction
            double below = a;
            for (int n = 120; n >= 1; --n) below = a + 0.5 * n / below;
            result = 1 - falling / (1.7724538509055159 * below);
        }
    }
    return x < 0 ? -result : result;
}

/// Returns x^y as std::pow does; whole exponents from -3 to 3 are products.
constexpr double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return nan;
    const bool whole = absolute(y) >= 0x1p53 || floor(y) == y;
    const bool odd = absolute(y) < 0x1p53 && whole && static_cast<std::int64_t>(y) % 2 != 0;
    const bool turned = is_negative(x) && odd;
    const double a = absolute(x);
    const auto with_sign = [&](double result) { return turned ? -result : result; };
    if (is_infinite(y)) {
        if (a == 1) return 1;
        return (a > 1) == (y > 0) ? infinite : 0;
    }
    if (a == 0 || a == infinite) return with_sign((a == 0) == (y > 0) ? 0 : infinite);
    if (x < 0 && !whole) return nan;
    if (a == 1) return with_sign(1);
    if (y == 1) return x;
    if (whole && absolute(y) <= 3 && a > 1e-90 && a < 1e90) {
        const double product = y == 2 || y == -2 ? x * x : y == -1 ? x : x * x * x;
        return y < 0 ? 1 / product : product;
    }
    const Pair logarithm = log_pair(a);
    if (absolute(y) > 1e200 || absolute(logarithm.high * y) > 800)
        return with_sign((logarithm.high > 0) == (y > 0) ? infinite : 0);
    return with_sign(exp(Pair{y, 0} * logarithm));
}

/// Returns the remainder with the sign of b, as the operation `mod`.
constexpr double mod(double a, double b) {
    if (a != a || b != b || b == 0 || is_infinite(a)) return nan;
    if (a == 0) return a;
    const double divisor = absolute(b);
    double rest = absolute(a);
    while (rest >= divisor) {  // exact: the subtracted part is more than half of it
        const int by = parts_of(rest).exponent - parts_of(divisor).exponent;
        const double part = scaled(divisor, by);
        rest -= part > rest ? scaled(divisor, by - 1) : part;
    }
    const double signed_rest = a < 0 ? -rest : rest;
    return rest != 0 && (a < 0) != (b < 0) ? signed_rest + b : signed_rest;
}

/// A double as the values of operations in constant evaluation (tape/scalar_value.hpp).
struct Number {
    double value = 0;

    constexpr Number() = default;
    template <class A>
        requires std::is_arithmetic_v<A>
    constexpr Number(A x) : value(static_cast<double>(x)) {}
    explicit constexpr operator long long() const { return static_cast<long long>(value); }
    explicit constexpr operator std::size_t() const { return static_cast<std::size_t>(value); }

    friend constexpr Number operator-(Number a) { return -a.value; }
    friend constexpr Number operator+(Number a, Number b) { return a.value + b.value; }
    friend constexpr Number operator-(Number a, Number b) { return a.value - b.value; }
    friend constexpr Number operator*(Number a, Number b) { return a.value * b.value; }
    /// Divides. A division by 0 is no constant expression, but has a value.
    friend constexpr Number operator/(Number a, Number b) {
        if (b.value != 0) return a.value / b.value;
        return a.value == 0 || a.value != a.value ? nan : (a.value > 0) == is_negative(b.value) ? -infinite : infinite;
    }
    constexpr Number& operator+=(Number b) { return *this = *this + b; }
    constexpr Number& operator-=(Number b) { return *this = *this - b; }
    constexpr Number& operator*=(Number b) { return *this = *this * b; }
    friend constexpr auto operator<=>(const Number&, const Number&) = default;
};
#define SIGMA_NUMBER(name, function) \
    constexpr Number name(Number a) { return function(a.value); }
// clang-format off
SIGMA_NUMBER(abs, absolute)
SIGMA_NUMBER(exp, exp)
SIGMA_NUMBER(expm1, expm1)
SIGMA_NUMBER(log, log)
SIGMA_NUMBER(log1p, log1p)
SIGMA_NUMBER(sqrt, sqrt)
SIGMA_NUMBER(tanh, tanh)
SIGMA_NUMBER(sigmoid, sigmoid)
SIGMA_NUMBER(sin, sin)
SIGMA_NUMBER(cos, cos)
SIGMA_NUMBER(arctangent, atan)
SIGMA_NUMBER(error_function, erf)
SIGMA_NUMBER(round_down, floor)
SIGMA_NUMBER(round_to_even, round)
#undef SIGMA_NUMBER
// clang-format on
constexpr Number pow(Number a, Number b) { return pow(a.value, b.value); }
constexpr Number modulus(Number a, Number b) { return mod(a.value, b.value); }
constexpr Number fma(Number a, Number b, Number c) { return a * b + c; }

}  // namespace sigma::detail::constant_math
