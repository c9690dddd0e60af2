// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::storage {

/// Reads the tokens of JSON (RFC 8259) that the header of a safetensors file consists of, and most of a tokenizer's
/// file: strings, whole numbers and punctuation. It does not nest by itself, so no depth of the text is a depth of
/// calls. Every mistake throws DataError.
class JsonTokens {
public:
    /// `text` begins at byte `first` of the file; both must outlive the reader. `whole` is what errors call the text.
    JsonTokens(std::string_view text, const std::string& file, std::uint64_t first, const char* whole = "the header");

    const std::string& file() const { return file_; }
    /// Of the next character, in the text.
    std::size_t position() const { return at_; }
    bool at_end() const { return at_ == text_.size(); }
    std::string_view rest() const { return text_.substr(at_); }

    [[noreturn]] void refuse(std::size_t position, std::string expected, std::string found) const;
    [[noreturn]] void refuse(std::string expected) const { refuse(at_, std::move(expected), here()); }

    /// Is this the next mark? Takes it if so, with the blanks before it.
    bool take_if(char mark);
    /// To the next token.
    void skip_blanks();
    void take(char mark);

    /// A string without its quotes and escapes.
    std::string string(const char* what);

    /// A whole number from 0 to 2^64 - 1, without sign, leading zeros, fraction and exponent.
    std::uint64_t number();

private:
    std::string here() const;

    void escape(std::string& out);

    /// Four digits after the `u` that is next.
    std::uint32_t hexadecimal();

    std::string_view text_;
    const std::string& file_;
    std::uint64_t first_;
    const char* whole_;
    std::size_t at_ = 0;
};

/// Appends a text that is UTF-8 as a JSON string: everything as it is but for what JSON does not allow.
void append_json_string(std::string& out, std::string_view text);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/json.ipp>
#endif
