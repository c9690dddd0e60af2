// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/layer/input.hpp>

#include <type_traits>

/// The network language: `a + b` is a after b in the flow of data, `n * a` is n layers like a. Expressions only name;
/// what they mean is decided when a network traces them.
namespace sigma {

template <class L>
concept AnyLayer = std::is_base_of_v<Layer, L>;
template <class L>
concept LossLayer = std::is_base_of_v<Loss, L>;

template <class A, class B>
struct Chain : Layer {
    A first;
    B second;
    constexpr Chain(A a, B b) : first(a), second(b) {}
};
template <class L>
struct Repeat : Layer {
    int times;
    L layer;
    constexpr Repeat(int n, L l) : times(n), layer(l) {}
};

namespace detail {

template <class L>
struct Ends {
    using first = L;
    using last = L;
};
template <class A, class B>
struct Ends<Chain<A, B>> {
    using first = typename Ends<A>::first;
    using last = typename Ends<B>::last;
};
template <class L>
using First = typename Ends<L>::first;
template <class L>
using Last = typename Ends<L>::last;

template <class L>
inline constexpr bool is_chain = false;
template <class A, class B>
inline constexpr bool is_chain<Chain<A, B>> = true;
template <class L>
inline constexpr bool is_repeat = false;
template <class L>
inline constexpr bool is_repeat<Repeat<L>> = true;

}  // namespace detail

template <AnyLayer A, AnyLayer B>
    requires(!LossLayer<detail::Last<A>> && !std::is_same_v<detail::First<B>, Input>)
constexpr auto operator+(A a, B b) {
    return Chain<A, B>{a, b};
}
template <AnyLayer A, AnyLayer B>
    requires(LossLayer<detail::Last<A>>)
constexpr error_loss_is_only_allowed_last<after<detail::Last<A>>> operator+(A, B);
template <AnyLayer A, AnyLayer B>
    requires(!LossLayer<detail::Last<A>> && std::is_same_v<detail::First<B>, Input>)
constexpr error_Input_is_only_allowed_first<after<detail::Last<A>>> operator+(A, B);

template <AnyLayer L>
    requires(!LossLayer<detail::Last<L>> && !std::is_same_v<detail::First<L>, Input>)
constexpr auto operator*(int n, L layer) {
    return Repeat<L>{n, layer};
}
template <AnyLayer L>
    requires(LossLayer<detail::Last<L>>)
constexpr error_loss_is_only_allowed_last<inside_a_repeat> operator*(int, L);
template <AnyLayer L>
    requires(!LossLayer<detail::Last<L>> && std::is_same_v<detail::First<L>, Input>)
constexpr error_Input_is_only_allowed_first<inside_a_repeat> operator*(int, L);

}  // namespace sigma
