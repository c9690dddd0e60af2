// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/utf8_length.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// @cond internal
namespace sigma::storage {

using sigma::detail::utf8_length;

/// Returns the number of the first character of valid UTF-8.
constexpr std::uint32_t utf8_character(std::string_view text) {
    const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t a = byte(0);
    if (a < 0x80) return a;
    if (a < 0xE0) return (a & 0x1F) << 6 | (byte(1) & 0x3F);
    if (a < 0xF0) return (a & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return (a & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
}

/// Returns the position of the first byte that is not UTF-8; npos if there is none.
constexpr std::size_t utf8_fault(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

/// Appends a character by its number, which must be at most 0x10FFFF and not half of a surrogate pair.
void append_utf8(std::string& text, std::uint32_t character);

/// Returns a text in quotes for a message: on one line, with invisible characters as numbers (<U+00A0>), and at most
/// about 40 characters.
std::string quotation(std::string_view text);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/utf8.ipp>
#endif
