// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/utf8.hpp>

#include <limits>

namespace sigma::storage {

SIGMA_IMPL JsonTokens::JsonTokens(std::string_view text, const std::string& file, std::uint64_t first,
                                  const char* whole)
    : text_(text), file_(file), first_(first), whole_(whole) {}

SIGMA_IMPL JsonTokens JsonTokens::of_line(std::string_view text, const std::string& file, std::size_t line) {
    JsonTokens tokens(text, file, 1, "the line");
    tokens.line_ = line;
    return tokens;
}

SIGMA_IMPL void JsonTokens::refuse(std::size_t position, std::string expected, std::string found) const {
    throw DataError(file_, sentence(line_ == 0 ? "" : sentence("line ", line_, ", "), "byte ", first_ + position),
                    std::move(expected), std::move(found));
}

SIGMA_IMPL bool JsonTokens::take_if(char mark) {
    skip_blanks();
    if (at_end() || text_[at_] != mark) return false;
    ++at_;
    return true;
}

SIGMA_IMPL void JsonTokens::skip_blanks() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
}

SIGMA_IMPL void JsonTokens::take(char mark) {
    if (!take_if(mark)) refuse(sentence("'", mark, "'"));
}

/// Returns whether a character of a string stands for itself and has one byte.
constexpr bool is_plain(char c) { return c >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\'; }

SIGMA_IMPL std::string JsonTokens::string(const char* what) {
    skip_blanks();
    if (at_end() || text_[at_] != '"') refuse(what);
    ++at_;
    std::string out;
    while (true) {
        if (at_end()) refuse("the end of a string");
        const char c = text_[at_];
        if (c == '"') break;
        if (c == '\\') {
            escape(out);
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x20) refuse("an escape in place of a control character");
        if (static_cast<unsigned char>(c) < 0x80) {
            const std::size_t first = at_;
            while (!at_end() && is_plain(text_[at_])) ++at_;
            out += text_.substr(first, at_ - first);
            continue;
        }
        const std::size_t length = utf8_length(rest());
        if (length == 0) refuse("UTF-8");
        out += text_.substr(at_, length);
        at_ += length;
    }
    ++at_;
    return out;
}

SIGMA_IMPL std::uint64_t JsonTokens::number() {
    skip_blanks();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        const auto digit = static_cast<unsigned>(text_[at_] - '0');
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        if (value > most / 10 || value * 10 > most - digit) refuse(begin, "a number below 2^64", "a larger number");
        value = value * 10 + digit;
    }
    if (at_ == begin) refuse("a whole number of 0 or more");
    if (at_ - begin > 1 && text_[begin] == '0') refuse(begin, "a number without leading zeros", "'0'");
    if (!at_end() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E'))
        refuse(begin, "a whole number", "a number with a fraction or an exponent");
    return value;
}

SIGMA_IMPL std::string_view JsonTokens::number_text() {
    skip_blanks();
    const std::size_t begin = at_;
    const auto take_one_of = [this](std::string_view marks) {
        const bool found = !at_end() && marks.find(text_[at_]) != marks.npos;
        at_ += found ? 1 : 0;
        return found;
    };
    const auto digits = [&](const char* where) {
        const std::size_t first = at_;
        while (!at_end() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        if (at_ == first) refuse(where);
    };
    take_one_of("-");
    const std::size_t first = at_;
    digits("a digit");
    if (at_ - first > 1 && text_[first] == '0') refuse(first, "a number without leading zeros", "'0'");
    if (take_one_of(".")) digits("a digit after the point");
    if (take_one_of("eE")) {
        take_one_of("+-");
        digits("a digit of the exponent");
    }
    return text_.substr(begin, at_ - begin);
}

SIGMA_IMPL bool JsonTokens::take_word(std::string_view word) {
    skip_blanks();
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
}

SIGMA_IMPL std::string JsonTokens::here() const {
    return at_end() ? sentence("the end of ", whole_)
                    : quotation(rest().substr(0, utf8_length(rest()) + (utf8_length(rest()) == 0)));
}

SIGMA_IMPL void JsonTokens::escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_end()) refuse("an escape");
    if (const std::size_t i = letters.find(text_[at_]); i != letters.npos) {
        out += meant[i];
        ++at_;
        return;
    }
    if (text_[at_] != 'u') refuse("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    const std::size_t begin = at_ - 1;
    std::uint32_t character = hexadecimal();
    if (character >= 0xDC00 && character < 0xE000)
        refuse(begin, "the first half of a surrogate pair", "the second half");
    if (character >= 0xD800 && character < 0xDC00) {
        const bool follows = rest().starts_with("\\u");
        if (follows) ++at_;
        const std::uint32_t second = follows ? hexadecimal() : 0;
        if (second < 0xDC00 || second >= 0xE000) refuse(begin, "both halves of a surrogate pair", "the first half");
        character = 0x10000 + ((character - 0xD800) << 10) + (second - 0xDC00);
    }
    append_utf8(out, character);
}

SIGMA_IMPL std::uint32_t JsonTokens::hexadecimal() {
    ++at_;
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const char c = at_end() ? '\0' : text_[at_];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) refuse("four hexadecimal digits");
        value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return value;
}

SIGMA_IMPL void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view letters = "btn?fr";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += {'\\', c};
        } else if (byte >= 8 && byte <= 13 && byte != 11) {
            out += {'\\', letters[byte - 8u]};
        } else if (byte < 0x20) {
            out += "\\u";
            detail::append_hexadecimal(out, byte, 4);
        } else {
            out += c;
        }
    }
    out += '"';
}

}  // namespace sigma::storage
