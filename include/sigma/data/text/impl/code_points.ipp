// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text/code_points.hpp>

#include <unicase.h>
#include <unictype.h>
#include <uniwbrk.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace sigma::data::detail {

SIGMA_IMPL void append_lower_character(std::string& to, std::string_view character) {
    if (character.size() == 1) to += lower_byte(character[0]);
    else storage::append_utf8(to, ::uc_tolower(storage::utf8_character(character)));
}

SIGMA_IMPL void append_lower(std::string& to, std::string_view word) {
    if (std::ranges::all_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        for (const char c : word) to += lower_byte(c);
        return;
    }
    std::size_t size = 0;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(word.data());
    const std::unique_ptr<std::uint8_t, decltype(&std::free)> lower(
        ::u8_tolower(bytes, word.size(), nullptr, nullptr, nullptr, &size), &std::free);
    if (!lower) throw std::bad_alloc();
    to.append(reinterpret_cast<const char*>(lower.get()), size);
}

// Rules WB4 to WB16 of Unicode Standard Annex #29, between white space. The breaks that they leave between two letters
// are those of scripts that put no space between words (Thai, Lao, Khmer, Burmese, Han, kana), where only a dictionary
// could tell: none is made there, nor where a letter and an underscore meet.

SIGMA_IMPL bool is_word_letter(int kind) { return kind == WBP_ALETTER || kind == WBP_HL; }

/// Letters and digits of any script.
SIGMA_IMPL bool is_letter(std::uint32_t c, int kind) {
    return is_word_letter(kind) || kind == WBP_NUMERIC || kind == WBP_KATAKANA ||
           ::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Nl);
}

SIGMA_IMPL bool WordRule::is_mark(std::uint32_t c) {
    const int kind = ::uc_wordbreak_property(c);
    return kind == WBP_EXTEND || kind == WBP_FORMAT || kind == WBP_ZWJ;
}

SIGMA_IMPL WordRule::WordRule(std::uint32_t first) { accept(first, ::uc_wordbreak_property(first)); }

SIGMA_IMPL void WordRule::accept(std::uint32_t c, int kind) {
    pair_ = kind == WBP_RI && !(kind_ == WBP_RI && pair_);
    geresh_ = kind_ == WBP_HL && kind == WBP_SQ;
    joiner_ = kind == WBP_ZWJ;
    kind_ = kind;
    letter_ = is_letter(c, kind);
}

SIGMA_IMPL WordRule::Answer WordRule::next(std::uint32_t c) {
    const int kind = ::uc_wordbreak_property(c);
    if (kind == WBP_EXTEND || kind == WBP_FORMAT || kind == WBP_ZWJ) {  // WB4
        joiner_ = kind == WBP_ZWJ;
        return Answer::on;
    }
    const bool quote = kind == WBP_MIDNUMLET || kind == WBP_SQ;
    if ((joiner_ && ::uc_is_property_extended_pictographic(c)) ||                    // WB3c
        (kind_ == WBP_HL && kind == WBP_SQ) || (geresh_ && is_word_letter(kind)) ||  // WB7a, WB7
        (kind == WBP_EXTENDNUMLET && (letter_ || kind_ == WBP_EXTENDNUMLET)) ||      // WB13a
        (kind_ == WBP_RI && kind == WBP_RI && pair_) ||                              // WB15, WB16
        ((letter_ || kind_ == WBP_EXTENDNUMLET) && is_letter(c, kind))) {            // WB5, WB8 to WB10, WB13, WB13b
        accept(c, kind);
        return Answer::on;
    }
    if ((is_word_letter(kind_) && (quote || kind == WBP_MIDLETTER || (kind_ == WBP_HL && kind == WBP_DQ))) ||
        (kind_ == WBP_NUMERIC && (quote || kind == WBP_MIDNUM)))
        return Answer::unknown;
    return Answer::ends;
}

SIGMA_IMPL bool WordRule::resolved(std::uint32_t c, std::uint32_t after) {
    const int between = ::uc_wordbreak_property(c), kind = ::uc_wordbreak_property(after);
    const bool joined = between == WBP_DQ      ? kind == WBP_HL         // WB7b, WB7c
                        : kind_ == WBP_NUMERIC ? kind == WBP_NUMERIC    // WB11, WB12
                                               : is_word_letter(kind);  // WB6, WB7
    if (joined) accept(after, kind);
    return joined;
}

}  // namespace sigma::data::detail
