// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string_view>

namespace sigma {

/// A short string that may be a template argument: the name of a layer or of a parameter.
struct Text {
    char data[64]{};
    int size = 0;

    constexpr Text() = default;
    template <std::size_t n>
    constexpr Text(const char (&s)[n]) {
        append(std::string_view(s, n - 1));
    }
    constexpr Text& append(std::string_view s) {
        for (char c : s)
            if (size < 63) data[size++] = c;
        return *this;
    }
    constexpr Text& append(int number) {
        char digits[12]{};
        int n = 0;
        do digits[n++] = static_cast<char>('0' + number % 10);
        while (number /= 10);
        while (n > 0)
            if (size < 63) data[size++] = digits[--n];
            else --n;
        return *this;
    }
    constexpr std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
    friend constexpr bool operator==(const Text& a, const Text& b) { return a.view() == b.view(); }
};

}  // namespace sigma
