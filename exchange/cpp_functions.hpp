// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/operation.hpp>

#include <string>
#include <string_view>

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

/// The value of an elementwise operation in terms of a, b, c and V, as its row in tape/operation.hpp has it.
std::string_view value_text(Operation o);

/// The C++17 of all functions that a text calls, and of those that they call: constant expressions for float and
/// double that need no other header than <stdint.h>. A few units in the last place; NaN and infinities as in <cmath>.
std::string called_functions(std::string_view text);

}  // namespace sigma::detail
