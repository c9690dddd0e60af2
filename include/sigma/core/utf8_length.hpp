// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

namespace sigma::detail {

/// Returns the length of the UTF-8 character at the beginning of `text`, 1 to 4. Returns 0 if there is none: it is cut,
/// longer than necessary, half of a surrogate pair, or above U+10FFFF (The Unicode Standard, table 3-7).
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

}  // namespace sigma::detail
