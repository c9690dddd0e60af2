// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

namespace sigma {

/// A list of types: the values that a criterion or an action reads or writes.
template <class... V>
struct Types {
    static constexpr int count = sizeof...(V);
    template <class W>
    static constexpr bool has = (std::is_same_v<V, W> || ...);
};

namespace detail {

template <class... Lists>
struct JoinLists {
    using type = Types<>;
};
template <class... V>
struct JoinLists<Types<V...>> {
    using type = Types<V...>;
};
template <class... V, class... W, class... Rest>
struct JoinLists<Types<V...>, Types<W...>, Rest...> : JoinLists<Types<V..., W...>, Rest...> {};
template <class... Lists>
using JoinedTypes = typename JoinLists<Lists...>::type;

/// The same without repetitions, in order of first appearance.
template <class List, class Seen = Types<>>
struct Unique {
    using type = Seen;
};
template <class V, class... Rest, class... S>
struct Unique<Types<V, Rest...>, Types<S...>>
    : Unique<Types<Rest...>, std::conditional_t<Types<S...>::template has<V>, Types<S...>, Types<S..., V>>> {};

template <class V, class List>
inline constexpr int type_index = -1;
template <class V, class First, class... Rest>
inline constexpr int type_index<V, Types<First, Rest...>> =
    std::is_same_v<V, First>            ? 0
    : type_index<V, Types<Rest...>> < 0 ? -1
                                        : 1 + type_index<V, Types<Rest...>>;

template <int i, class List>
struct Nth;
template <class First, class... Rest>
struct Nth<0, Types<First, Rest...>> {
    using type = First;
};
template <int i, class First, class... Rest>
struct Nth<i, Types<First, Rest...>> : Nth<i - 1, Types<Rest...>> {};
template <int i, class List>
using NthType = typename Nth<i, List>::type;

}  // namespace detail
}  // namespace sigma
