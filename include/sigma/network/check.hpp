// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/network/grammar.hpp>

/// Finds what is wrong with a network's expression before anything is made of it, so that the compiler's first error is
/// at the user's line and names the mistake.
namespace sigma {

template <auto expression>
struct NetworkOf;

namespace detail {

template <auto e>
consteval Input input_of() {
    using E = std::remove_cvref_t<decltype(e)>;
    if constexpr (is_chain<E>)
        return input_of<e.first>();
    else
        return e;
}

template <auto e>
consteval auto last_of() {
    if constexpr (is_chain<std::remove_cvref_t<decltype(e)>>) return last_of<e.second>();
    else return e;
}

/// Values that layers were given: units, rates, counts.
template <auto layer>
consteval auto check_values() {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_chain<L>) {
        const auto first = check_values<layer.first>();
        if constexpr (std::is_void_v<typename decltype(first)::mistake>)
            return check_values<layer.second>();
        else
            return first;
    } else if constexpr (is_repeat<L>) {
        if constexpr (layer.times < 1)
            return Verdict<error_repeat_count_must_be_positive<times_given<layer.times>>>{};
        else
            return check_values<layer.layer>();
    } else if constexpr (requires { L::check(Self<layer>{}); }) {
        return L::check(Self<layer>{});
    } else {
        return Verdict<>{};
    }
}

/// Where an input of shape S leads: a Verdict that also knows the shape of the output.
template <Shape S>
struct Output : Verdict<> {
    static constexpr Shape shape = S;
};
template <class V>
inline constexpr bool is_fine = std::is_void_v<typename V::mistake>;

template <auto layer, int times, Shape S>
consteval auto check_repeat();

template <auto layer, Shape S>
consteval auto check_shapes() {
    using L = std::remove_cvref_t<decltype(layer)>;
    using Spelled_ = typename Spelled<S, S.rank>::type;
    if constexpr (std::is_same_v<L, Input> || LossLayer<L>) {
        return Output<S>{};
    } else if constexpr (is_chain<L>) {
        using First = decltype(check_shapes<layer.first, S>());
        if constexpr (is_fine<First>)
            return check_shapes<layer.second, First::shape>();
        else
            return First{};
    } else if constexpr (is_repeat<L>) {
        return check_repeat<layer.layer, layer.times, S>();
    } else if constexpr (!requires(Context & context, Tensor<S> x) { L::forward(Self<layer>{}, context, x); }) {
        return Verdict<error_layer_does_not_accept<layer_is<L>, input_is<Spelled_>>>{};
    } else {
        using Y = decltype(L::forward(Self<layer>{}, std::declval<Context&>(), Tensor<S>{}));
        if constexpr (is_tensor<Y>)
            return Output<Y::shape>{};
        else if constexpr (requires { typename Y::mistake; })
            return Y{};  // the layer itself says what is wrong with its input
        else
            return Verdict<error_forward_of_a_layer_must_return_a_tensor<layer_is<L>>>{};
    }
}
template <auto layer, int times, Shape S>
consteval auto check_repeat() {
    using First = decltype(check_shapes<layer, S>());
    if constexpr (!is_fine<First>) {
        return First{};
    } else {
        constexpr Shape out = First::shape;
        if constexpr (times == 1 || out == S) {
            return First{};
        } else {
            using Second = decltype(check_repeat<layer, times - 1, out>());
            if constexpr (is_fine<Second>)
                return Second{};
            else
                return Verdict<error_repeated_layers_output_does_not_fit_its_input<
                    output_is<typename Spelled<out, out.rank>::type>, input_is<typename Spelled<S, S.rank>::type>>>{};
        }
    }
}

template <class T>
struct TypeIs {
    using type = T;
};
template <auto expression>
consteval auto network_or_mistake() {
    using E = std::remove_cvref_t<decltype(expression)>;
    if constexpr (!std::is_same_v<First<E>, Input>) {
        return TypeIs<error_network_must_start_with_Input<first_layer_is<First<E>>>>{};
    } else if constexpr (!LossLayer<Last<E>>) {
        return TypeIs<error_network_has_no_loss_layer<last_layer_is<Last<E>>>>{};
    } else if constexpr (!is_fine<decltype(check_values<expression>())>) {
        return TypeIs<typename decltype(check_values<expression>())::mistake>{};
    } else {
        using Shapes = decltype(check_shapes<expression, input_of<expression>().batched()>());
        if constexpr (!is_fine<Shapes>) {
            return TypeIs<typename Shapes::mistake>{};
        } else {
            using Loss = decltype(Last<E>::template check_output<Shapes::shape>());
            if constexpr (!is_fine<Loss>)
                return TypeIs<typename Loss::mistake>{};
            else
                return TypeIs<NetworkOf<expression>>{};
        }
    }
}

}  // namespace detail
}  // namespace sigma
