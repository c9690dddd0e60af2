// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/storage/write_file.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// A vocabulary as text: one line that says what it is, then a token a line, in the order of their numbers.
//
//     sigma-vocabulary 1 unit=word lower_case=yes special=2 tokens=10000
//     <pad>
//     <unk>
//     the
//
// Every line ends with \n. A backslash is written \\; spaces, control characters and bytes that are not UTF-8 are
// written \x and two digits of 0-9a-f. Nothing else may be written so: each vocabulary has one text.
namespace sigma::data::detail {

inline constexpr std::array<std::string_view, 4> unit_words{"byte", "character", "word", "spaced-word"};

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

SIGMA_IMPL void append_escaped(std::string& to, std::string_view token) {
    for (std::size_t i = 0; i < token.size();) {
        const std::size_t length = storage::utf8_length(token.substr(i));
        const auto byte = static_cast<unsigned char>(token[i]);
        if (length == 0 || byte <= ' ' || byte == 0x7F) {
            to += "\\x";
            sigma::detail::append_hexadecimal(to, byte, 2);
        } else if (byte == '\\') {
            to += "\\\\";
        } else {
            to += token.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
}

SIGMA_IMPL void VocabularyParser::refuse(std::string expected, std::string found) const {
    throw DataError(name_, sentence("line ", line_), std::move(expected), std::move(found));
}

SIGMA_IMPL std::string_view VocabularyParser::line() {
    ++line_;
    if (text_.empty()) refuse("a line", "the end");
    const std::size_t end = text_.find('\n');
    if (end == text_.npos) refuse("a line with an end", storage::quotation(text_));
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return found;
}

SIGMA_IMPL void VocabularyParser::finish() {
    if (text_.empty()) return;
    ++line_;
    refuse("the end", storage::quotation(text_.substr(0, text_.find('\n'))));
}

SIGMA_IMPL std::string_view VocabularyParser::field(std::string_view& line, std::string_view key) const {
    if (!line.starts_with(key)) refuse(sentence("'", key, "'"), storage::quotation(line));
    line.remove_prefix(key.size());
    const std::string_view value = line.substr(0, line.find(' '));
    line.remove_prefix(value.size());
    return value;
}

SIGMA_IMPL std::size_t VocabularyParser::number(std::string_view digits) const {
    std::size_t value = 0;
    if (!sigma::detail::read_number(digits, value) || value > largest_vocabulary || sentence(value) != digits)
        refuse(sentence("a number from 0 to ", largest_vocabulary), storage::quotation(digits));
    return value;
}

SIGMA_IMPL std::string VocabularyParser::unescaped(std::string_view line) const {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string token;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\') {
            token += line[i];
        } else if (line.substr(i).starts_with("\\\\")) {
            token += line[++i];
        } else {
            const bool complete = line.substr(i).starts_with("\\x") && i + 3 < line.size();
            const int high = complete ? digit(line[i + 2]) : -1, low = complete ? digit(line[i + 3]) : -1;
            if (high < 0 || low < 0)
                refuse("\\\\ or \\x with two digits of 0-9a-f", storage::quotation(line.substr(i, 4)));
            token += static_cast<char>(static_cast<unsigned char>(16 * high + low));
            i += 3;
        }
    }
    std::string again;
    append_escaped(again, token);
    if (again != line) refuse(storage::quotation(again), storage::quotation(line));
    return token;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL std::string Vocabulary::text() const {
    std::string all =
        sentence("sigma-vocabulary 1 unit=", detail::unit_words[static_cast<std::size_t>(rule_.unit)],
                 " lower_case=", rule_.lower_case ? "yes" : "no", " special=", special_, " tokens=", size(), '\n');
    for (const std::string& token : tokens_) {
        detail::append_escaped(all, token);
        all += '\n';
    }
    return all;
}

SIGMA_IMPL Vocabulary Vocabulary::parse(std::string_view text, const std::string& name) {
    detail::refuse_packed(std::as_bytes(std::span(text)), name);
    detail::VocabularyParser parser(text, name);
    std::string_view header = parser.line();
    if (const auto version = parser.field(header, "sigma-vocabulary "); version != "1")
        parser.refuse("version 1", storage::quotation(version));
    const std::string_view unit = parser.field(header, " unit=");
    const auto found = std::ranges::find(detail::unit_words, unit);
    if (found == detail::unit_words.end())
        parser.refuse("unit byte, character, word or spaced-word", storage::quotation(unit));
    const std::string_view lower = parser.field(header, " lower_case=");
    if (lower != "yes" && lower != "no") parser.refuse("lower_case yes or no", storage::quotation(lower));
    const std::size_t special = parser.number(parser.field(header, " special="));
    const std::size_t count = parser.number(parser.field(header, " tokens="));
    if (!header.empty()) parser.refuse("the end of the line", storage::quotation(header));
    if (count == 0 || special > count)
        parser.refuse("at least one token, special ones among them",
                      sentence(count, " tokens and ", special, " special ones"));
    if (count > parser.left() / 2)  // a character and the end of its line
        parser.refuse(sentence("lines for ", count, " tokens"), sentence(parser.left(), " bytes"));

    const TokenRule rule{static_cast<Unit>(found - detail::unit_words.begin()), lower == "yes"};
    std::vector<std::string> tokens;
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < count; ++i) {
        tokens.push_back(parser.unescaped(parser.line()));
        if (const char* fault = detail::token_fault(tokens.back(), rule.unit, i < special))
            parser.refuse(detail::token_rule_text(rule.unit, i < special), fault);
        if (const auto [first, fresh] = seen.emplace(tokens.back(), i + 2); !fresh)
            parser.refuse("each token once", sentence("the token of line ", first->second, " again"));
    }
    parser.finish();
    return {rule, std::move(tokens), special};
}

SIGMA_IMPL void Vocabulary::save(const std::string& path) const {
    const std::string all = text();
    write_file_atomically(path, std::as_bytes(std::span(all)));
}

SIGMA_IMPL Vocabulary Vocabulary::load(const std::string& path) {
    return parse(read_text(file(storage::placed(path))), path);
}

SIGMA_IMPL Vocabulary Vocabulary::load(const Source& source) { return parse(read_text(source), source.name()); }

}  // namespace sigma::data
