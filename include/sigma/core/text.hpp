// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <string_view>

namespace sigma {

template <int>
struct characters_given;

/// No constant: what would be cut does not compile.
[[noreturn]] void error_text_is_longer_than_63_characters(std::string_view begin, std::string_view more);

/// A short string that may be a template argument: the name of a layer or of a parameter.
struct Text {
    static constexpr int most = 63;
    char data[most + 1]{};
    int size = 0;

    constexpr Text() = default;
    template <std::size_t n>
    constexpr Text(const char (&s)[n]) {
        append(std::string_view(s, n - 1));
    }
    constexpr Text& append(std::string_view s) {
        if (!has_room_for(s)) error_text_is_longer_than_63_characters(view(), s);
        for (char c : s) data[size++] = c;
        return *this;
    }
    constexpr Text& append(int number) {
        char digits[12]{};
        int n = 0;
        do digits[n++] = static_cast<char>('0' + number % 10);
        while (number /= 10);
        for (int i = 0; i < n / 2; ++i) {
            const char c = digits[i];
            digits[i] = digits[n - 1 - i];
            digits[n - 1 - i] = c;
        }
        return append(std::string_view(digits, static_cast<std::size_t>(n)));
    }
    constexpr bool has_room_for(std::string_view s) const { return s.size() <= static_cast<std::size_t>(most - size); }
    constexpr std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
    friend constexpr bool operator==(const Text& a, const Text& b) { return a.view() == b.view(); }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/text.ipp>
#endif
