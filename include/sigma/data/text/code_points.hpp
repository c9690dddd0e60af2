// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/utf8.hpp>

#include <clocale>
#include <cstdint>
#include <string>
#include <string_view>

#include <locale.h>
#include <wctype.h>

/// What the characters of Unicode are: letters and digits as the C library has them in its locale C.UTF-8, whatever the
/// locale of the program is.
namespace sigma::data::detail {

::locale_t unicode_locale();

/// The character at the front of valid UTF-8.
std::uint32_t code_point(std::string_view text);

/// White_Space of the Unicode Character Database.
constexpr bool is_space(std::uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

/// A letter, a digit or an accent that joins the letter before it.
bool is_letter(std::uint32_t c);

constexpr bool is_apostrophe(std::uint32_t c) { return c == '\'' || c == 0x2019; }

constexpr char lower_byte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Valid UTF-8 in small letters, character by character.
void append_lower(std::string& to, std::string_view text);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/code_points.ipp>
#endif
