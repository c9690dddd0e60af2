// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

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

/// A text in the name of a mistake, so that both compilers show it as letters: g++ shows a `Text`, clang shows the
/// characters of one as numbers, but a `char` as what it is.
namespace sigma {

#ifdef __clang__

template <char...>
struct text_is;

namespace detail {
template <Text text, template <char...> class Name>
consteval auto spelled_text() {
    return []<std::size_t... i>(std::index_sequence<i...>) {
        return std::type_identity<Name<text.data[i]...>>{};
    }(std::make_index_sequence<static_cast<std::size_t>(text.size)>{});
}
/// Under another name: `Name<'i', 'n'>`.
template <Text text, template <char...> class Name>
struct SpelledAs : decltype(spelled_text<text, Name>()) {};
template <Text text>
struct SpelledText : SpelledAs<text, text_is> {};
}  // namespace detail

#else

template <Text>
struct text_is;

namespace detail {
template <Text text>
struct SpelledText : std::type_identity<text_is<text>> {};
}  // namespace detail

#endif

}  // namespace sigma

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

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/text.ipp>
#endif
