// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sigma::storage {

/// The length of the UTF-8 character at the front of `text`, 1 to 4; 0 where there is none: cut, longer than needed,
/// half of a surrogate pair, or above U+10FFFF (The Unicode Standard, table 3-7).
constexpr std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const auto later = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    if (text.empty()) return 0;
    const unsigned a = byte(0), b = byte(1);
    if (a < 0x80) return 1;
    if (a < 0xC2 || a > 0xF4) return 0;
    if (a < 0xE0) return later(1) ? 2 : 0;
    if (a < 0xF0) {
        const bool second = a == 0xE0 ? b >= 0xA0 && b < 0xC0 : a == 0xED ? b >= 0x80 && b < 0xA0 : later(1);
        return second && later(2) ? 3 : 0;
    }
    const bool second = a == 0xF0 ? b >= 0x90 && b < 0xC0 : a == 0xF4 ? b >= 0x80 && b < 0x90 : later(1);
    return second && later(2) && later(3) ? 4 : 0;
}

/// Where `text` stops being UTF-8; npos where it does not.
constexpr std::size_t utf8_fault(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

/// Appends a character by its number, at most 0x10FFFF and no half of a surrogate pair.
void append_utf8(std::string& text, std::uint32_t character);

/// The text in quotes for a message: on one line, printable, at most about 40 characters of it.
std::string quotation(std::string_view text);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/utf8.ipp>
#endif
