// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string_view>

namespace sigma::detail {

/// Returns whether `text` matches the pattern, in which `*` stands for zero or more characters.
constexpr bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, again = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            again = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++again;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// Calls f(pattern, its number) with each of several patterns with spaces between them.
constexpr void each_pattern(std::string_view patterns, auto f) {
    int number = 0;
    for (std::size_t end; (end = patterns.find(' ')) != patterns.npos; patterns.remove_prefix(end + 1))
        f(patterns.substr(0, end), number++);
    f(patterns, number);
}

/// Compares two patterns: positive if `a` is more specific than `b`, negative if it is less specific, 0 if they are
/// alike. More parts between dots are more specific. If their number is equal, the first part with more characters
/// other than `*` decides.
constexpr int compare_specificity(std::string_view a, std::string_view b) {
    const auto count = [](std::string_view s, char c) {
        int n = 0;
        for (char x : s) n += x == c;
        return n;
    };
    if (const int parts = count(a, '.') - count(b, '.'); parts != 0) return parts;
    while (true) {
        const std::size_t i = a.find('.'), j = b.find('.');
        const std::string_view x = a.substr(0, i), y = b.substr(0, j);
        const int letters = (static_cast<int>(x.size()) - count(x, '*')) - (static_cast<int>(y.size()) - count(y, '*'));
        if (letters != 0) return letters;
        if (x.find('*') != y.find('*') && (x.find('*') == x.npos || y.find('*') == y.npos))
            return y.find('*') != y.npos ? 1 : -1;
        if (i == a.npos || j == b.npos) return 0;
        a.remove_prefix(i + 1);
        b.remove_prefix(j + 1);
    }
}

}  // namespace sigma::detail
