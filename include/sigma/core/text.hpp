// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Short texts that may be template arguments: Text. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/error.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sigma {

/// @cond internal
template <int>
struct characters_given;

/// Throws the ArgumentError of a text that is too long. It is not constexpr, so a constant that is too long does not
/// compile.
[[noreturn]] void error_text_is_longer_than_63_characters(std::string_view begin, std::string_view more);
/// @endcond

/// A text of at most 63 characters that may be a template argument, such as the name of a layer or a parameter.
///
/// @par Example
/// @code
/// constexpr Text name = "1-dense.weights";
/// auto weights = model.parameter<name>();
/// @endcode
///
/// @see dim, value
struct Text {
    static constexpr int most = 63;  ///< Largest number of characters.
    char data[most + 1]{};           ///< The characters, followed by zeros.
    int size = 0;                    ///< The number of characters.

    /// Constructs an empty text.
    constexpr Text() = default;
    /// Constructs a text from a string literal.
    /// @param literal  at most 63 characters. A longer literal does not compile in a constant.
    /// @throws ArgumentError  if the literal is longer
    template <std::size_t n>
    constexpr Text(const char (&literal)[n]) {
        append(std::string_view(literal, n - 1));
    }
    /// Appends characters.
    /// @param more  characters to append
    /// @return this text
    /// @throws ArgumentError  if the text would be longer than 63 characters
    constexpr Text& append(std::string_view more) {
        if (!has_room_for(more)) error_text_is_longer_than_63_characters(view(), more);
        for (char c : more) data[size++] = c;
        return *this;
    }
    /// Appends a number in decimal.
    /// @param number  number to append, 0 or more
    /// @return this text
    /// @throws ArgumentError  if the text would be longer than 63 characters
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
    /// Returns whether these characters can be appended.
    /// @param more  characters to append
    /// @return true if they can be appended
    constexpr bool has_room_for(std::string_view more) const {
        return more.size() <= static_cast<std::size_t>(most - size);
    }
    /// Returns the characters.
    /// @return the characters
    constexpr std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
    /// Returns whether two texts are equal.
    /// @param left   one text
    /// @param right  the other one
    friend constexpr bool operator==(const Text& left, const Text& right) { return left.view() == right.view(); }
};

}  // namespace sigma

/// @cond internal
// A text in the name of a mistake is shown as letters by both compilers: g++ shows a `Text` as letters, clang shows its
// characters as numbers, but shows a `char` as a letter.
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
/// A text as arguments of another template: `Name<'i', 'n'>`.
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
/// @endcond

namespace sigma::detail {

/// Returns how many characters must be inserted, removed or exchanged to turn one text into the other (Levenshtein
/// 1966). Only the first 63 characters of each text count.
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
