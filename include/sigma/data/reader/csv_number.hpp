// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/number_text.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sigma::data::detail {

/// The number of bytes after a text that must be readable for `parse_number`.
inline constexpr std::size_t number_padding = 32;

/// Returns the number of 8 decimal digits, each a byte from 0 to 9, the first in the lowest byte. Joins neighbors: 4
/// numbers below 100, 2 below 10000, 1 (Lemire, "Number parsing at a gigabyte per second", Software: Practice and
/// Experience 51, 2021).
std::uint64_t joined_digits(std::uint64_t w);

/// Loads 8 bytes, in which digits become 0 to 9.
std::uint64_t load_digits(const char* at);

/// Sets the highest bit of the first byte above 9, of none before it, and of some after it.
std::uint64_t no_digits(std::uint64_t w);

/// The first digits of 8 bytes: up to 8 decimal digits.
struct Digits {
    std::uint64_t value;
    int count;
};

Digits leading_digits(const char* at);

inline constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Computes digits · 10^exponent; returns false unless the result is certain to be the nearest number. Both factors are
/// exact as doubles, so one operation rounds once (Clinger, "How to read floating point numbers accurately", PLDI
/// 1990). The conversion to float rounds again, which matters only for a double right between two floats.
template <class T>
bool scaled(std::uint64_t digits, int exponent, bool negative, T& to) {
    if (digits > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) return false;
    double value = static_cast<double>(static_cast<std::int64_t>(digits));
    if (exponent > 0) value *= powers_of_ten[static_cast<std::size_t>(exponent)];
    else value /= powers_of_ten[static_cast<std::size_t>(-exponent)];
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (std::same_as<T, float> && (bits & 0x1FFFFFFF) == 0x10000000) return false;
    to = static_cast<T>(
        std::bit_cast<double>(bits | static_cast<std::uint64_t>(negative) << 63));  // digits are positive
    return true;
}

/// Parses up to 8 characters after the sign: digits and at most one point. Returns false for another number or none.
/// Has no branch that depends on the place of the point.
template <class T>
bool parse_tiny_number(const char* at, const char* end, T& to) {
    const bool negative = *at == '-';
    at += static_cast<int>(negative) | static_cast<int>(*at == '+');
    const auto size = end - at;
    if (size < 1 || size > 8) return false;
    std::uint64_t w = load_digits(at) << (64 - 8 * size);  // zeros in front
    constexpr std::uint64_t ones = 0x0101010101010101, low = 0x7F * ones;
    const std::uint64_t other = w ^ (('.' ^ '0') * ones);  // 0 where the point is
    const std::uint64_t point = ~(((other & low) + low) | other | low);
    int places = 0;
    if (point != 0) {
        if (size == 1) return false;
        const std::uint64_t up_to_it = point ^ (point - 1);
        w = (w & (up_to_it >> 8)) << 8 | (w & ~up_to_it);
        places = std::countl_zero(point) >> 3;
    }
    return no_digits(w) == 0 && scaled(joined_digits(w), -places, negative, to);
}

/// Parses numbers of up to 16 digits with small exponents. Returns false for another number or none.
template <class T>
bool parse_short_number(const char* at, const char* end, T& to) {
    const bool negative = *at == '-';
    at += static_cast<int>(negative) | static_cast<int>(*at == '+');
    const Digits whole = leading_digits(at);
    std::uint64_t digits = whole.value;
    at += whole.count;
    int exponent = 0, count = whole.count;
    if (count == 8) {
        const Digits more = leading_digits(at);
        if (more.count == 8) return false;
        digits = digits * static_cast<std::uint64_t>(powers_of_ten[static_cast<std::size_t>(more.count)]) + more.value;
        at += more.count;
        count += more.count;
    }
    if (at < end && *at == '.') {
        const Digits fraction = leading_digits(++at);
        digits = digits * static_cast<std::uint64_t>(powers_of_ten[static_cast<std::size_t>(fraction.count)]) +
                 fraction.value;
        at += fraction.count;
        count += fraction.count;
        exponent = -fraction.count;
        if (count > 16) return false;
    }
    if (at < end && (*at | 0x20) == 'e' && count > 0) {
        ++at;
        const bool down = *at == '-';
        at += down || *at == '+';
        const Digits power = leading_digits(at);
        if (power.count == 0 || power.value > 99) return false;
        at += power.count;
        exponent += down ? -static_cast<int>(power.value) : static_cast<int>(power.value);
    }
    return at == end && count > 0 && scaled(digits, exponent, negative, to);
}

/// Returns whether a decimal number is below 1, which means that it is too small and not too large.
bool is_below_one(std::string_view text);

/// Parses any number, as `parse_number` does.
template <class T>
bool parse_any_number(std::string_view text, bool non_finite, T& to) {
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty() || text[0] == '-') return false;
    const bool finite = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
    if (!finite && !non_finite) return false;
    T value = 0;
    const auto [length, out_of_range] = sigma::detail::read_front(text, value);
    if (length != text.size()) return false;
    if (out_of_range) {
        if (!is_below_one(text)) return false;
        value = 0;
    }
    if (finite && !std::isfinite(value)) return false;
    to = negative ? -value : value;
    return true;
}

/// Parses a whole text as the nearest T: decimal, as in the C locale, with or without a sign, a point or an exponent.
/// Numbers too small for T become subnormal or 0. Rejects numbers that are too large, and inf and nan unless
/// `non_finite`. Bytes up to `number_padding` after `text` must be readable. Does not change `to` if it returns false.
template <std::floating_point T>
bool parse_number(std::string_view text, bool non_finite, T& to) {
    const char* const end = text.data() + text.size();
    return parse_tiny_number(text.data(), end, to) || parse_short_number(text.data(), end, to) ||
           parse_any_number(text, non_finite, to);
}

/// Returns whether a text is a decimal number that is too large for a double.
bool exceeds_double(std::string_view text);

/// Rewrites a number with this decimal mark and groups of three digits (the first of up to three) for parse_number,
/// with its padding. Returns false if the text is no such number.
bool respelled(std::string_view text, char decimal, char thousands, std::string& to);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_number.ipp>
#endif
