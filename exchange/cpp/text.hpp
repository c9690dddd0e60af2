// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Words and numbers of C++.
namespace sigma::detail {

/// Calls f(part, is_identifier) for the names in a C++ text and for what stands between them.
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

/// A number that reads back to the same bits, as float or double.
std::string cpp_number(double x, bool single);
/// A name that C++ accepts, made of any text.
std::string cpp_identifier(std::string_view text);
/// A text that cannot end the line of its comment, or go on in the next.
std::string cpp_comment(std::string_view text);
/// Is it such a name, and no keyword?
bool is_cpp_name(std::string_view text);
/// A literal of these bytes.
std::string cpp_quoted(std::string_view text);

}  // namespace sigma::detail
