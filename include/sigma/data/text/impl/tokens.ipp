// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
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

SIGMA_IMPL std::size_t Tokenizer::next_of_word(std::string_view text, std::size_t first, std::size_t at,
                                               bool last) const {
    if (at == text.size()) return wait;
    if (at - first > longest_word)
        throw DataError(name_, sentence("byte ", position_ + first),
                        sentence("a word of at most ", longest_word, " bytes"), "a longer one");
    return character(text, at, last);
}

SIGMA_IMPL std::size_t Tokenizer::end_of_spaced_word(std::string_view text, std::size_t first, bool last) const {
    std::size_t end = first;
    while (const std::size_t length = next_of_word(text, first, end, last)) {
        if (detail::is_space(storage::utf8_character(text.substr(end)))) return end;
        end += length;
    }
    return last ? end : wait;
}

SIGMA_IMPL std::size_t Tokenizer::end_of_word(std::string_view text, std::size_t first, bool last) const {
    using Answer = detail::WordRule::Answer;
    detail::WordRule rule(storage::utf8_character(text.substr(first)));
    std::size_t end = first + character(text, first, last);
    while (const std::size_t length = next_of_word(text, first, end, last)) {
        const std::uint32_t c = storage::utf8_character(text.substr(end));
        const Answer answer = detail::is_space(c) ? Answer::ends : rule.next(c);
        if (answer == Answer::ends) return end;
        std::size_t at = end + length;
        if (answer == Answer::unknown) {
            std::size_t after = next_of_word(text, first, at, last);
            while (after != wait && detail::WordRule::is_mark(storage::utf8_character(text.substr(at))))
                after = next_of_word(text, first, at += after, last);
            if (after == wait) return last ? end : wait;
            if (!rule.resolved(c, storage::utf8_character(text.substr(at)))) return end;
            at += after;
        }
        end = at;
    }
    return last ? end : wait;
}

SIGMA_IMPL std::string_view Tokenizer::token(std::string_view text) {
    if (!rule_.lower_case) return text;
    lowered_.clear();
    if (rule_.unit == Unit::character) detail::append_lower_character(lowered_, text);
    else detail::append_lower(lowered_, text);
    return lowered_;
}

}  // namespace sigma::data
