// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text/code_points.hpp>

#include <cstddef>

namespace sigma::data::detail {

SIGMA_IMPL ::locale_t unicode_locale() {
    static const ::locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (locale == nullptr) throw ArgumentError("words of a text", "the locale C.UTF-8 in this system", "none");
    return locale;
}

SIGMA_IMPL std::uint32_t code_point(std::string_view text) {
    const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t a = byte(0);
    if (a < 0x80) return a;
    if (a < 0xE0) return (a & 0x1F) << 6 | (byte(1) & 0x3F);
    if (a < 0xF0) return (a & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return (a & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
}

SIGMA_IMPL bool is_letter(std::uint32_t c) {
    if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return (c >= 0x300 && c <= 0x36F) || ::iswalnum_l(static_cast<::wint_t>(c), unicode_locale()) != 0;
}

SIGMA_IMPL void append_lower(std::string& to, std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = storage::utf8_length(text);
        if (length == 1) {
            to += lower_byte(text[0]);
        } else {
            const auto wide = static_cast<::wint_t>(code_point(text));
            storage::append_utf8(to, static_cast<std::uint32_t>(::towlower_l(wide, unicode_locale())));
        }
        text.remove_prefix(length);
    }
}

}  // namespace sigma::data::detail
