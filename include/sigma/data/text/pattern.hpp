// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The regular expressions by which tokenizers cut texts, in Hugging Face's files (Oniguruma's syntax).
namespace sigma::data::detail {

/// A regular expression. Supports letters, `.`, classes in brackets, \p{L} and other general categories, \s \S \d \D \w
/// \W \r \n \t \uHHHH, groups (?:…), (?i:…), (…), alternatives, ? * + {m,n}, also lazy and possessive, (?=…), (?!…), ^
/// and $.
class Pattern {
public:
    /// Parses a pattern. Throws DataError for `name` if it contains anything else.
    Pattern(std::string text, const std::string& name);

    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }
    /// Returns the end of a match that begins at a byte, or npos if none does. Throws ArgumentError if it needs more
    /// steps than are left.
    std::size_t end_of_match(std::string_view subject, std::size_t at, std::size_t& steps_left) const;

    struct Range {
        std::uint32_t first = 0, last = 0;  ///< range of characters
        std::uint32_t categories = 0;       ///< alternatively general categories
        bool space = false, word = false;   ///< alternatively \s or \w
        bool negative = false;
    };
    struct Part;
    using Sequence = std::vector<Part>;
    struct Part {
        enum class Kind : char { one, group, ahead, begin, end };
        Kind kind = Kind::one;
        std::vector<Range> ranges{};  ///< alternatives of one character
        bool negative = false, any_case = false;
        std::vector<Sequence> inside{};  ///< contents of a group or a lookahead
        std::size_t least = 1, most = 1;
        bool lazy = false, possessive = false;
    };

private:
    std::string text_;
    std::vector<Sequence> alternatives_{};
};

/// Returns the length in bytes of the UTF-8 character that ends before byte `at`.
std::size_t length_before(std::string_view text, std::size_t at);

/// A rule that cuts a text at the matches of a pattern.
struct Cut {
    enum class Matches : char { removed, isolated, with_previous, with_next, contiguous };
    Pattern pattern;
    Matches matches = Matches::isolated;
    bool inverted = false;  ///< swaps the matches and the text between them
    bool digits = false;    ///< written as "Digits" in the file
    std::string literal{};  ///< written as this text in the file, not as a regular expression

    /// Returns the parts of a text that are not empty.
    std::vector<std::string_view> parts(std::string_view text) const;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/pattern.ipp>
#endif
