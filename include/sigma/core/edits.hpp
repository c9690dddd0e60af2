// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

#include <cstddef>
#include <string_view>

namespace sigma::detail {

/// How many letters must be inserted, left out or exchanged to make one of the other (Levenshtein 1966).
/// Of longer texts than a Text holds, their beginnings.
constexpr int edits(std::string_view a, std::string_view b) {
    a = a.substr(0, Text::most), b = b.substr(0, Text::most);
    int row[Text::most + 1]{};
    const int m = static_cast<int>(a.size()), n = static_cast<int>(b.size());
    for (int j = 0; j <= n; ++j) row[j] = j;
    for (int i = 1; i <= m; ++i) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= n; ++j) {
            const int above = row[j];
            const int exchanged = before + (a[static_cast<std::size_t>(i - 1)] != b[static_cast<std::size_t>(j - 1)]);
            const int other = (above < row[j - 1] ? above : row[j - 1]) + 1;
            row[j] = exchanged < other ? exchanged : other;
            before = above;
        }
    }
    return row[n];
}

}  // namespace sigma::detail
