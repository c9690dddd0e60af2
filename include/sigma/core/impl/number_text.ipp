// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace sigma::detail {

/// Appends the text that std::to_chars writes.
template <class... Format>
void append_digits(std::string& to, Format... format) {
    std::array<char, 336> digits;  // the largest double has 309 digits before the point
    to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), format...).ptr);
}

SIGMA_IMPL void append_exact(std::string& to, double x) {
    if (std::isnan(x)) to += "nan";
    else append_digits(to, x, std::chars_format::general);
}

SIGMA_IMPL void append_exact(std::string& to, float x) {
    if (std::isnan(x)) to += "nan";
    else append_digits(to, x, std::chars_format::general);
}

SIGMA_IMPL void append_exact(std::string& to, long long x) { append_digits(to, x); }

SIGMA_IMPL void append_exact(std::string& to, unsigned long long x) { append_digits(to, x); }

SIGMA_IMPL void append_number(std::string& to, double x, int decimals) {
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000};
    const double size = std::abs(x);
    if (std::isnan(x)) {
        to += '-';
        return;
    }
    if (x < 0) to += '-';
    if (std::isinf(x)) {
        to += "inf";
    } else if (size >= 1e15) {
        append_digits(to, size, std::chars_format::scientific, 2);
    } else if (size >= 999.5) {
        append_digits(to, static_cast<std::uint64_t>(size + 0.5));
    } else if (const std::uint64_t power = powers[decimals]; size > 0 && size * static_cast<double>(power) < 9.5) {
        append_digits(to, size, std::chars_format::scientific, 2);
    } else {
        // This is several times as fast as std::to_chars with a precision.
        const auto scaled = static_cast<std::uint64_t>(size * static_cast<double>(power) + 0.5);
        append_digits(to, scaled / power);
        to += '.';
        const std::size_t begin = to.size();
        to.append(static_cast<std::size_t>(decimals), '0');
        std::uint64_t rest = scaled % power;
        for (std::size_t i = to.size(); i > begin; rest /= 10) to[--i] = static_cast<char>('0' + rest % 10);
    }
}

SIGMA_IMPL std::string fixed_text(double x, int decimals, std::size_t width) {
    std::string text;
    append_digits(text, x, std::chars_format::fixed, decimals);
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

SIGMA_IMPL std::string rounded_text(double x) {
    std::string text;
    append_digits(text, x, std::chars_format::general, 6);
    return text;
}

SIGMA_IMPL void append_formatted(std::string& to, double x, const NumberFormat& format) {
    const std::size_t begin = to.size();
    if (format.letter == '%') x *= 100;
    if (format.plus && !std::signbit(x) && !std::isnan(x)) to += '+';
    const bool ordinary = std::isfinite(x);
    if (std::isnan(x)) to += '-';
    else if (!ordinary) to += x < 0 ? "-inf" : "inf";
    else switch (format.letter) {
            case 'f':
            case '%': append_digits(to, x, std::chars_format::fixed, format.digits < 0 ? 6 : format.digits); break;
            case 'e': append_digits(to, x, std::chars_format::scientific, format.digits < 0 ? 6 : format.digits); break;
            case 'g': append_digits(to, x, std::chars_format::general, format.digits < 0 ? 6 : format.digits); break;
            case 'd': append_digits(to, x, std::chars_format::fixed, 0); break;
            default: append_number(to, x, 3);
        }
    if (format.letter == '%' && ordinary) to += '%';
    const std::size_t size = to.size() - begin, wanted = static_cast<std::size_t>(format.width);
    if (size >= wanted) return;
    if (format.side == '<') to.append(wanted - size, ' ');
    else if (!format.zeros || !ordinary) to.insert(begin, wanted - size, ' ');
    else to.insert(begin + (to[begin] == '-' || to[begin] == '+' ? 1 : 0), wanted - size, '0');
}

SIGMA_IMPL std::string binary_text(double x) {
    std::string text = std::signbit(x) ? "-0x" : "0x";
    append_digits(text, std::abs(x), std::chars_format::hex);
    return text;
}

SIGMA_IMPL void append_hexadecimal(std::string& to, std::uint64_t number, int digits) {
    while (digits > 0) to += "0123456789abcdef"[number >> 4 * --digits & 15];
}

SIGMA_IMPL std::string hexadecimal(std::uint64_t number) {
    std::string text;
    append_hexadecimal(text, number);
    return text;
}

template <class X>
bool read_whole(std::string_view text, X& x) {
    const NumberInFront found = read_front(text, x);
    return !text.empty() && found.length == text.size() && !found.out_of_range;
}

SIGMA_IMPL bool read_number(std::string_view text, double& x) { return read_whole(text, x); }

SIGMA_IMPL bool read_number(std::string_view text, std::uint64_t& x) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), x);
    return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace sigma::detail
