// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/text/code_points.hpp>
#include <sigma/data/text/token_rule.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::data {

/// A word may be so many bytes long: a file that is no text may not have a white space at all.
inline constexpr std::size_t longest_word = std::size_t{1} << 16;

/// Cuts a text into tokens, a piece after the other. Throws DataError with the byte where text is not UTF-8.
class Tokenizer {
public:
    /// `name` is what errors call the text.
    Tokenizer(TokenRule rule, std::string name) : rule_(rule), name_(std::move(name)) {}

    /// Calls visit(token, byte) for each token that ends in what has been fed so far, with the place of its first byte;
    /// the token's memory is there for that call only.
    template <class Visit>
    void feed(std::string_view bytes, Visit&& visit) {
        if (!rest_.empty()) bytes = rest_ += bytes;
        const std::size_t used = cut(bytes, false, visit);
        rest_ = std::string(bytes.substr(used));
        position_ += used;
    }
    /// The text ends: the last tokens.
    template <class Visit>
    void finish(Visit&& visit) {
        position_ += cut(rest_, true, visit);
        rest_.clear();
    }

private:
    static constexpr std::size_t wait = 0;

    /// How many bytes of `text` are done with.
    template <class Visit>
    std::size_t cut(std::string_view text, bool last, Visit& visit) {
        if (rule_.unit == Unit::byte) return cut_bytes(text, visit);
        std::size_t at = 0;
        if (position_ == 0) {
            constexpr std::string_view mark = "\xEF\xBB\xBF";
            if (!last && text.size() < mark.size()) return 0;
            if (text.starts_with(mark)) at = mark.size();
        }
        while (at < text.size()) {
            const std::size_t length = character(text, at, last);
            if (length == wait) break;
            std::size_t end = at + length;
            if (is_word(rule_.unit)) {
                const std::uint32_t first = storage::utf8_character(text.substr(at));
                if (detail::is_space(first)) {
                    at = end;
                    continue;
                }
                end = rule_.unit == Unit::word ? end_of_word(text, at, last) : end_of_spaced_word(text, at, last);
                if (end == wait) break;
            }
            visit(token(text.substr(at, end - at)), position_ + at);
            at = end;
        }
        return at;
    }

    template <class Visit>
    std::size_t cut_bytes(std::string_view text, Visit& visit) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = rule_.lower_case ? detail::lower_byte(text[i]) : text[i];
            visit(std::string_view(&c, 1), position_ + i);
        }
        return text.size();
    }

    /// The length of the character at `at`; `wait` where its last bytes may still come.
    std::size_t character(std::string_view text, std::size_t at, bool last) const;

    // Where the word that begins at `first` ends; `wait` where more of it may still come.
    std::size_t end_of_word(std::string_view text, std::size_t first, bool last) const;
    std::size_t end_of_spaced_word(std::string_view text, std::size_t first, bool last) const;

    /// The length of the next character of a word, at `at`: `wait` as above, and at the end of the text.
    std::size_t next_of_word(std::string_view text, std::size_t first, std::size_t at, bool last) const;

    std::string_view token(std::string_view text);

    TokenRule rule_;
    std::string name_;
    std::string rest_, lowered_;
    std::uint64_t position_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/tokens.ipp>
#endif
