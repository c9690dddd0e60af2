// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/utf8.hpp>

#include <utility>

namespace sigma::storage {

SIGMA_IMPL void append_utf8(std::string& text, std::uint32_t character) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    const auto later = [&](int shift) { add(0x80 | (character >> shift & 0x3F)); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xC0 | character >> 6);
        later(0);
    } else if (character < 0x10000) {
        add(0xE0 | character >> 12);
        later(6);
        later(0);
    } else {
        add(0xF0 | character >> 18);
        later(12);
        later(6);
        later(0);
    }
}

/// Returns whether a character is invisible or changes how others look: blanks except the space, controls, joiners,
/// direction marks, variation selectors, tags.
constexpr bool is_invisible(std::uint32_t c) {
    constexpr std::pair<std::uint32_t, std::uint32_t> all[] = {
        {0x80, 0xA0},     {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},   {0x115F, 0x1160}, {0x1680, 0x1680},
        {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000},
        {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};
    for (const auto& [first, last] : all)
        if (c >= first && c <= last) return true;
    return false;
}

SIGMA_IMPL std::string quotation(std::string_view text) {
    std::string out = "'";
    for (std::size_t i = 0; i < text.size();) {
        if (out.size() > 40) return out + "…'";
        const std::size_t length = utf8_length(text.substr(i));
        const auto byte = static_cast<unsigned char>(text[i]);
        if (length == 0 || byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            detail::append_hexadecimal(out, byte, 2);
            ++i;
        } else if (const std::uint32_t c = utf8_character(text.substr(i)); is_invisible(c)) {
            out += "<U+";
            for (int shift = c < 0x10000 ? 12 : 16; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[c >> shift & 15];
            out += '>';
            i += length;
        } else {
            out += text.substr(i, length);
            i += length;
        }
    }
    return out + "'";
}

}  // namespace sigma::storage
