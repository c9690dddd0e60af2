// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text/tokens.hpp>

namespace sigma::data {

SIGMA_IMPL std::size_t Tokenizer::character(std::string_view text, std::size_t at, bool last) const {
    if (static_cast<unsigned char>(text[at]) < 0x80) return 1;
    const std::string_view rest = text.substr(at, 4);
    const std::size_t length = storage::utf8_length(rest);
    if (length == 0 && (last || rest.size() == 4))
        throw DataError(name_, sentence("byte ", position_ + at), "a character of UTF-8", storage::quotation(rest));
    return length;
}

SIGMA_IMPL std::size_t Tokenizer::end_of_word(std::string_view text, std::size_t first, std::size_t end,
                                              bool last) const {
    while (end < text.size()) {
        if (end - first > longest_word)
            throw DataError(name_, sentence("byte ", position_ + first),
                            sentence("a word of at most ", longest_word, " bytes"), "a longer one");
        const std::size_t length = character(text, end, last);
        if (length == wait) return wait;
        const std::uint32_t c = detail::code_point(text.substr(end));
        if (rule_.unit == Unit::spaced_word) {
            if (detail::is_space(c)) return end;
        } else if (detail::is_apostrophe(c)) {
            const std::size_t after = end + length;
            if (after == text.size()) return last ? end : wait;
            if (character(text, after, last) == wait) return wait;
            if (!detail::is_letter(detail::code_point(text.substr(after)))) return end;
        } else if (!detail::is_letter(c)) {
            return end;
        }
        end += length;
    }
    return last ? end : wait;
}

SIGMA_IMPL std::string_view Tokenizer::token(std::string_view text) {
    if (!rule_.lower_case) return text;
    lowered_.clear();
    detail::append_lower(lowered_, text);
    return lowered_;
}

}  // namespace sigma::data
