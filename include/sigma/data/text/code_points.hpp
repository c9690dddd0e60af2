// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/utf8.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What the characters of Unicode are: by libunistring, which asks no locale.
namespace sigma::data::detail {

/// White_Space of the Unicode Character Database.
constexpr bool is_space(std::uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr char lower_byte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// A character of valid UTF-8 as its small letter, where that is one character.
void append_lower_character(std::string& to, std::string_view character);

/// A word of valid UTF-8 in small letters (The Unicode Standard, section 3.13).
void append_lower(std::string& to, std::string_view word);

/// Decides, character after character, whether a word goes on.
class WordRule {
public:
    explicit WordRule(std::uint32_t first);

    /// `unknown` where that depends on the next character that is no mark: ask resolved(c, it).
    enum class Answer { on, ends, unknown };
    Answer next(std::uint32_t c);
    /// Whether `c`, of which next() does not know, and the marks behind it stand between parts of one word, of which
    /// `after` is the next character; it is then the last one that was seen.
    bool resolved(std::uint32_t c, std::uint32_t after);

    /// A character that belongs to whatever stands before it.
    static bool is_mark(std::uint32_t c);

private:
    void accept(std::uint32_t c, int kind);

    int kind_ = 0;         ///< of the last character that was no mark
    bool letter_ = false;  ///< that one is a letter or a digit
    bool geresh_ = false;  ///< that one is an apostrophe behind a Hebrew letter
    bool joiner_ = false;  ///< the last character is U+200D
    bool pair_ = false;    ///< of regional indicators, which make a flag, an odd number has been seen
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/code_points.ipp>
#endif
