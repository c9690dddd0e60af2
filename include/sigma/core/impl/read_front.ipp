// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>

#include <version>

// Before version 20, libc++ has std::from_chars only for integers; Apple's has it for other numbers only on new
// systems.
#if defined(_LIBCPP_VERSION) && (_LIBCPP_VERSION < 200000 || defined(__APPLE__))
#define SIGMA_READ_BY_STRTOD
#include <clocale>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <string>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif
#else
#include <charconv>
#include <system_error>
#endif

namespace sigma::detail {

#ifdef SIGMA_READ_BY_STRTOD
/// Returns how many characters of a text std::from_chars reads as a number: no blanks, no +, no hexadecimal digits.
SIGMA_IMPL std::size_t extent_of_number(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const auto follows = [&](std::string_view word) {
        for (std::size_t i = 0; i < word.size(); ++i)
            if (at + i >= text.size() || (text[at + i] | 0x20) != word[i]) return false;
        return true;
    };
    const auto digits = [&](std::size_t from) {
        std::size_t end = from;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        return end - from;
    };
    for (const std::string_view word : {"infinity", "inf"})
        if (follows(word)) return at + word.size();
    if (follows("nan")) {
        at += 3;
        if (at == text.size() || text[at] != '(') return at;
        const std::size_t end = text.find_first_not_of(
            "0123456789_abcdefghijklmnopqrstuvwxyz"
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            at + 1);
        return end < text.size() && text[end] == ')' ? end + 1 : at;
    }
    const std::size_t whole = digits(at), point = at + whole;
    at = point;
    if (point < text.size() && text[point] == '.') at += 1 + digits(point + 1);
    if (at - point <= 1 && whole == 0) return 0;
    if (!follows("e")) return at;
    const std::size_t power = at + 1 + (at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') ? 1 : 0);
    const std::size_t count = digits(power);
    return count == 0 ? at : power + count;
}

template <class X>
NumberInFront read_front_of(std::string_view text, X& x) {
    static const ::locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string number(text.substr(0, extent_of_number(text)));
    if (number.empty()) return {};
    X found;
    if constexpr (std::same_as<X, float>) found = ::strtof_l(number.c_str(), nullptr, plain);
    else found = ::strtod_l(number.c_str(), nullptr, plain);
    // C may report subnormal numbers as out of range or not.
    const bool digits = (number.back() >= '0' && number.back() <= '9') || number.back() == '.';
    const std::string_view mantissa = std::string_view(number).substr(0, number.find_first_of("eE"));
    const bool zero = mantissa.find_first_of("123456789") == mantissa.npos;
    if (digits && (std::isinf(found) || (found == 0 && !zero))) return {number.size(), true};
    x = found;
    return {number.size(), false};
}
#else
template <class X>
NumberInFront read_front_of(std::string_view text, X& x) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), x);
    return {static_cast<std::size_t>(end - text.data()), fault == std::errc::result_out_of_range};
}
#endif

SIGMA_IMPL NumberInFront read_front(std::string_view text, double& x) { return read_front_of(text, x); }

SIGMA_IMPL NumberInFront read_front(std::string_view text, float& x) { return read_front_of(text, x); }

}  // namespace sigma::detail

#undef SIGMA_READ_BY_STRTOD
