// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/errors.hpp>
#include <sigma/tape/mistake.hpp>

#include <type_traits>

/// The network language: `a + b` is a after b in the flow of data, `n * a` is n layers like a, `a & b` are inputs side
/// by side, and any function over tensors is a layer. Expressions only name; what they mean is decided when a network
/// traces them.
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
/// Two inputs, or an input and more inputs.
template <class A, class B>
struct Inputs : Layer {
    A first;
    B second;
    constexpr Inputs(A a, B b) : first(a), second(b) {}
};
/// A function over tensors, by its type.
template <class F>
struct Lambda : Layer {
    static constexpr Text kind = "lambda";

    static constexpr auto forward(auto, Context&, auto... x)
        requires(std::is_invocable_v<F, decltype(x)...>)
    {
        return F{}(x...);
    }
};
/// Says something of the layer it holds; data flow through that as if it stood alone. Each has `Held`, `layer`, and
/// `enter(scope, elementary)`.
struct Wrapper : Layer {};

/// Several layers in order, as a structural list.
template <class... L>
struct Branches {
    static constexpr int count = 0;
};
template <class A, class... B>
struct Branches<A, B...> {
    A first;
    Branches<B...> rest;
    static constexpr int count = 1 + static_cast<int>(sizeof...(B));
    constexpr explicit Branches(A a, B... b) : first(a), rest(b...) {}
};

namespace detail {

// What starts and what ends an expression, looking through chains and wrappers.
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
    requires std::is_base_of_v<Wrapper, L>
struct Ends<L> : Ends<typename L::Held> {};
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
template <class L>
inline constexpr bool is_inputs = false;
template <class A, class B>
inline constexpr bool is_inputs<Inputs<A, B>> = true;
template <class L>
inline constexpr bool is_lambda = false;
template <class F>
inline constexpr bool is_lambda<Lambda<F>> = true;
template <class L>
inline constexpr bool is_wrapper = std::is_base_of_v<Wrapper, L>;
/// Does it take what comes from outside?
template <class L>
inline constexpr bool is_source = std::is_same_v<L, Input> || is_inputs<L>;

/// What may stand in an expression beside a layer: an object of a class, as lambdas are.
template <class F>
concept Operand = AnyLayer<F> || std::is_class_v<F>;
template <class F>
inline constexpr bool captures = !AnyLayer<F> && !(std::is_empty_v<F> && std::is_default_constructible_v<F>);

template <class F>
struct LayerOf {
    using type = Lambda<F>;
};
template <AnyLayer L>
struct LayerOf<L> {
    using type = L;
};
template <class F>
using AsLayer = typename LayerOf<F>::type;
template <class F>
constexpr AsLayer<F> as_layer(const F& f) {
    if constexpr (AnyLayer<F>) return f;
    else return {};
}

/// What is wrong with `A + B`, or void.
template <class A, class B>
consteval auto chain_mistake() {
    if constexpr (captures<A>) return Verdict<error_function_must_not_capture<A>>{};
    else if constexpr (captures<B>) return Verdict<error_function_must_not_capture<B>>{};
    else if constexpr (LossLayer<Last<A>>) return Verdict<error_loss_is_only_allowed_last<after_layer<Last<A>>>>{};
    else if constexpr (is_source<First<B>>) return Verdict<error_Input_is_only_allowed_first<after_layer<Last<A>>>>{};
    else return Verdict<>{};
}
/// What is wrong with a layer that stands inside something, or void.
template <class L, class Place>
consteval auto inside_mistake() {
    if constexpr (captures<L>) return Verdict<error_function_must_not_capture<L>>{};
    else if constexpr (LossLayer<Last<L>>) return Verdict<error_loss_is_only_allowed_last<Place>>{};
    else if constexpr (is_source<First<L>>) return Verdict<error_Input_is_only_allowed_first<Place>>{};
    else return Verdict<>{};
}
/// Where an expression goes wrong, its type names the mistake; see `tape/errors.hpp`.
template <class V>
using MistakeOf = typename V::mistake;
template <class V>
inline constexpr bool is_fine = std::is_void_v<MistakeOf<V>>;

}  // namespace detail

template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B> &&
            detail::is_fine<decltype(detail::chain_mistake<A, B>())>
constexpr auto operator+(A a, B b) {
    return Chain<detail::AsLayer<A>, detail::AsLayer<B>>{detail::as_layer(a), detail::as_layer(b)};
}
template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B> &&
            (!detail::is_fine<decltype(detail::chain_mistake<A, B>())>)
constexpr detail::MistakeOf<decltype(detail::chain_mistake<A, B>())> operator+(A, B);

template <AnyLayer L>
    requires detail::is_fine<decltype(detail::inside_mistake<L, inside_a_repeat>())>
constexpr auto operator*(int n, L layer) {
    return Repeat<L>{n, layer};
}
template <AnyLayer L>
    requires(!detail::is_fine<decltype(detail::inside_mistake<L, inside_a_repeat>())>)
constexpr detail::MistakeOf<decltype(detail::inside_mistake<L, inside_a_repeat>())> operator*(int, L);

/// Inputs side by side: `Input(28, 28) & Input(10)` gives the layers behind it two values.
template <AnyLayer A, AnyLayer B>
    requires(detail::is_source<detail::Last<A>> && detail::is_source<detail::Last<B>>)
constexpr auto operator&(A a, B b) {
    return Inputs<A, B>{a, b};
}

}  // namespace sigma
