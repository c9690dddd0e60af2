// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

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
