// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

/// Numbers as texts, the same in every locale: the only way from one to the other (`tests/ladder/ladder.py` checks).
namespace sigma::detail {

/// What std::to_chars writes.
template <class... Format>
void append_digits(std::string& to, Format... format) {
    std::array<char, 32> digits;
    to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), format...).ptr);
}

/// As few digits as give the number again when they are read: "0.1", "100000", "1e-07"; "nan", "inf", "-inf".
template <class X>
void append_number_text(std::string& to, X x) {
    if constexpr (std::is_integral_v<X>) append_digits(to, x);
    else if (x != x) to += "nan";
    else append_digits(to, x, std::chars_format::general);
}
template <class X>
std::string number_text(X x) {
    std::string text;
    append_number_text(text, x);
    return text;
}

/// For people: so many digits after the point, and blanks before a number of less than `width` characters.
std::string fixed_text(double x, int decimals, std::size_t width = 0);

/// Is the whole text a number? It is then in x.
template <class X>
bool read_number(std::string_view text, X& x) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), x);
    return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/digits.ipp>
#endif
