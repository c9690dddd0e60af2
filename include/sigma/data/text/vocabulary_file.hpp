// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/file.hpp>
#include <sigma/data/source/plain_text.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/atomic_file.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

// A vocabulary as text: one line that says what it is, then a token a line, in the order of their numbers.
//
//     sigma-vocabulary 1 unit=word lower_case=yes special=2 tokens=10000
//     <pad>
//     <unk>
//     the
//
// Every line ends with \n. A backslash is written \\; spaces, control characters and bytes that are not UTF-8 are written
// \x and two digits of 0-9a-f. Nothing else may be written so: each vocabulary has one text.
namespace sigma::data {

namespace detail {

inline constexpr std::array<std::string_view, 4> unit_words{"byte", "character", "word", "spaced-word"};

void append_escaped(std::string& to, std::string_view token);

/// Takes the front of a text apart; every mistake is a DataError with the line.
class VocabularyParser {
public:
    VocabularyParser(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    [[noreturn]] void refuse(std::string expected, std::string found) const;

    std::string_view line();
    void finish();
    std::size_t left() const { return text_.size(); }

    /// `key` and what follows it up to the next space.
    std::string_view field(std::string_view& line, std::string_view key) const;
    std::size_t number(std::string_view digits) const;

    std::string unescaped(std::string_view line) const;

private:
    std::string_view text_;
    std::string name_;
    std::size_t line_ = 0;
};

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/vocabulary_file.ipp>
#endif
