// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/utf8.hpp>

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
        } else {
            out += text.substr(i, length);
            i += length;
        }
    }
    return out + "'";
}

}  // namespace sigma::storage
