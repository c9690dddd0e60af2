// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// @cond internal
namespace sigma::storage {

/// A reader of the JSON tokens (RFC 8259) that headers of safetensors files, most parts of tokenizer files and JSON
/// lines consist of: strings, numbers, words and punctuation. It does not recurse, so that nested texts need no stack.
/// It throws DataError for every mistake.
class JsonTokens {
public:
    /// Constructs a reader. `text` begins at byte `first` of the file; text and name must outlive the reader. `whole`
    /// names the text in errors.
    JsonTokens(std::string_view text, const std::string& file, std::uint64_t first, const char* whole = "the header");

    /// Constructs a reader of line `line` of a file, which errors name together with the byte in the line, from 1.
    static JsonTokens of_line(std::string_view text, const std::string& file, std::size_t line);

    const std::string& file() const { return file_; }
    /// Returns the position of the next character in the text.
    std::size_t position() const { return at_; }
    bool at_end() const { return at_ == text_.size(); }
    std::string_view rest() const { return text_.substr(at_); }

    [[noreturn]] void refuse(std::size_t position, std::string expected, std::string found) const;
    [[noreturn]] void refuse(std::string expected) const { refuse(at_, std::move(expected), here()); }

    /// Skips blanks and the given mark if it is next. Returns whether it is.
    bool take_if(char mark);
    /// Skips blanks up to the next token.
    void skip_blanks();
    void take(char mark);

    /// Reads a string and resolves its escapes.
    std::string string(const char* what);

    /// Reads an integer from 0 to 2^64 - 1, without sign, leading zeros, fraction and exponent.
    std::uint64_t number();

    /// Reads any number, which it returns as it is written.
    std::string_view number_text();

    /// Skips blanks, and `word` if it is next, such as "null". Returns whether it is.
    bool take_word(std::string_view word);

private:
    std::string here() const;

    void escape(std::string& out);

    /// Reads the `u` and the four digits of an escape.
    std::uint32_t hexadecimal();

    std::string_view text_;
    const std::string& file_;
    std::uint64_t first_;
    const char* whole_;
    std::size_t at_ = 0, line_ = 0;  // line 0: errors name the byte of the file
};

/// Appends a text in UTF-8 as a JSON string, with escapes only for characters that JSON does not allow.
void append_json_string(std::string& out, std::string_view text);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/json.ipp>
#endif
