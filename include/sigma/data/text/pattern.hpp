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

/// The regular expressions by which tokenizers cut texts, as Hugging Face's files have them (Oniguruma's syntax).
namespace sigma::data::detail {

/// Understood: letters, `.`, classes in brackets, \p{L} and other general categories, \s \S \d \D \w \W \r \n \t
/// \uHHHH, groups (?:…), (?i:…), (…), alternatives, ? * + {m,n}, also lazy and possessive, (?=…), (?!…), ^ and $.
class Pattern {
public:
    /// Throws DataError for `name` where it has something else.
    Pattern(std::string text, const std::string& name);

    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }
    /// Where a match that begins at a byte ends; npos where none does. Throws ArgumentError where no steps are left.
    std::size_t end_of_match(std::string_view subject, std::size_t at, std::size_t& steps_left) const;

    struct Range {
        std::uint32_t first = 0, last = 0;  ///< characters
        std::uint32_t categories = 0;       ///< or general categories
        bool space = false, word = false;   ///< or what \s or \w mean
        bool negative = false;
    };
    struct Part;
    using Sequence = std::vector<Part>;
    struct Part {
        enum class Kind : char { one, group, ahead, begin, end };
        Kind kind = Kind::one;
        std::vector<Range> ranges{};  ///< of one character
        bool negative = false, any_case = false;
        std::vector<Sequence> inside{};  ///< of a group or what is ahead
        std::size_t least = 1, most = 1;
        bool lazy = false, possessive = false;
    };

private:
    std::string text_;
    std::vector<Sequence> alternatives_{};
};

/// How a text is cut where a pattern matches.
struct Cut {
    enum class Matches : char { removed, isolated, with_previous, with_next, contiguous };
    Pattern pattern;
    Matches matches = Matches::isolated;
    bool inverted = false;  ///< what lies between matches takes their place
    bool digits = false;    ///< written as "Digits"
    std::string literal{};  ///< written as a text, where the file has no regular expression

    /// f(part) of each part of a text that is not empty.
    std::vector<std::string_view> parts(std::string_view text) const;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/pattern.ipp>
#endif
