// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

// Names and numbers of C++.
namespace sigma::detail {

/// Calls f(part, is_identifier) for the names in a C++ text and for the parts between them.
template <class F>
void each_word(std::string_view text, F f) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = 0; at < text.size();) {
        const bool word = is_letter(text[at]);
        std::size_t end = at;
        while (end < text.size() && is_letter(text[end]) == word) ++end;
        f(text.substr(at, end - at), word && !(text[at] >= '0' && text[at] <= '9'));
        at = end;
    }
}

/// Returns a literal of float or double that reads back bit-identically.
std::string cpp_number(double x, bool single);
/// Makes a valid C++ name of any text.
std::string cpp_identifier(std::string_view text);
/// Makes a text safe for a line comment: it cannot end the line or continue in the next one.
std::string cpp_comment(std::string_view text);
/// Returns whether a text is a valid C++ name and not a keyword.
bool is_cpp_name(std::string_view text);
/// Returns a string literal of these bytes.
std::string cpp_quoted(std::string_view text);

}  // namespace sigma::detail
