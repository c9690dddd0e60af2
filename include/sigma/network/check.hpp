// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>

#include <tuple>

/// Finds what is wrong with a network's expression before anything is made of it, so that the compiler's first error is
/// at the user's line and names the mistake.
namespace sigma {

template <auto expression>
struct NetworkOf;

namespace detail {

/// Where the values of type X lead: a Verdict that also knows the type of what comes out, a tensor or a tuple of them.
template <class X>
struct Output : Verdict<> {
    using value = X;
};

// ---- what comes in ----

template <class... X>
struct Values {
    using type = std::tuple<X...>;
};
template <class X>
struct Values<X> {
    using type = X;
};
template <class X>
struct AsTuple {
    using type = std::tuple<X>;
};
template <class... X>
struct AsTuple<std::tuple<X...>> {
    using type = std::tuple<X...>;
};
template <class... X>
Values<X...> values_of(const std::tuple<X...>&);
/// A tuple of one is its element.
template <class Tuple>
using Packed = typename decltype(values_of(std::declval<Tuple>()))::type;
template <class... X>
using Joined = decltype(std::tuple_cat(std::declval<typename AsTuple<X>::type>()...));

/// Types of the tensors that an expression takes from outside.
template <auto e>
consteval auto sources() {
    using E = std::remove_cvref_t<decltype(e)>;
    if constexpr (std::is_same_v<E, Input>) return std::tuple<Tensor<e.batched()>>{};
    else if constexpr (is_inputs<E>) return std::tuple_cat(sources<e.first>(), sources<e.second>());
    else if constexpr (is_chain<E>) return sources<e.first>();
    else return sources<e.layer>();
}

// ---- values that layers were given: units, rates, counts ----

template <auto layer>
consteval auto check_values();
template <auto branches>
consteval auto check_each() {
    using B = std::remove_cvref_t<decltype(branches)>;
    if constexpr (B::count == 0) {
        return Verdict<>{};
    } else {
        using First = decltype(check_values<branches.first>());
        if constexpr (!is_fine<First>) return First{};
        else return check_each<branches.rest>();
    }
}
template <auto layer>
consteval auto check_wrapper() {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_importance<L>) {
        if constexpr (!(layer.weight >= 0 && layer.weight < 1e30)) {
            constexpr double thousandths = layer.weight * 1000;
            constexpr bool small = thousandths > -2e9 && thousandths < 2e9;
            return Verdict<error_importance_must_be_finite_and_not_negative<
                importance_in_thousandths<small ? static_cast<int>(thousandths - 0.5) : 2'000'000'000>>>{};
        } else {
            return Verdict<>{};
        }
    } else {
        constexpr Text name = [] {
            if constexpr (requires { layer.name; }) return layer.name;
            else if constexpr (requires { layer.tag; }) return layer.tag;
            else return Text{"-"};
        }();
        if constexpr (!is_good_name(name))
            return Verdict<error_name_must_have_1_to_24_letters_digits_or_dashes<characters_given<name.size>>>{};
        else return Verdict<>{};
    }
}
template <auto layer>
consteval auto check_values() {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_chain<L> || is_inputs<L>) {
        using First = decltype(check_values<layer.first>());
        if constexpr (is_fine<First>) return check_values<layer.second>();
        else return First{};
    } else if constexpr (is_repeat<L>) {
        if constexpr (layer.times < 1) return Verdict<error_repeat_count_must_be_positive<times_given<layer.times>>>{};
        else return check_values<layer.layer>();
    } else if constexpr (is_wrapper<L>) {
        using Own = decltype(check_wrapper<layer>());
        if constexpr (is_fine<Own>) return check_values<layer.layer>();
        else return Own{};
    } else if constexpr (is_fork<L> || is_parallel<L> || is_costs<L>) {
        return check_each<layer.branches>();
    } else if constexpr (requires { L::check(Self<layer>{}); }) {
        return L::check(Self<layer>{});
    } else {
        return Verdict<>{};
    }
}

// ---- shapes ----

template <class L, class... X>
struct Refusal {
    using type = error_layer_does_not_accept<layer_is<L>, inputs_are<SpelledOf<X>...>>;
};
template <class L, class X>
struct Refusal<L, X> {
    using type = error_layer_does_not_accept<layer_is<L>, input_is<SpelledOf<X>>>;
};
template <class Y>
concept Complete = requires { sizeof(Y); };

/// One layer by its forward function.
template <auto layer, class... X>
consteval auto check_layer(std::tuple<X...>*) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (requires { requires !is_fine<decltype(L::check_inputs(Self<layer>{}, X{}...))>; }) {
        return decltype(L::check_inputs(Self<layer>{}, X{}...)){};
    } else if constexpr (!is_fine<decltype(input_verdict<layer, X::shape...>())>) {
        return input_verdict<layer, X::shape...>();
    } else if constexpr (!requires(Context& context) { L::forward(Self<layer>{}, context, X{}...); }) {
        return Verdict<typename Refusal<L, X...>::type>{};
    } else {
        using Y = decltype(L::forward(Self<layer>{}, std::declval<Context&>(), X{}...));
        if constexpr (are_tensors<Y>) return Output<Y>{};
        else if constexpr (requires { typename Y::mistake; }) return Y{};  // the layer says itself what is wrong
        else if constexpr (!Complete<Y> && !std::is_void_v<Y>) return Verdict<Y>{};  // a mistake that forward found
        else return Verdict<error_forward_of_a_layer_must_return_a_tensor<layer_is<L>>>{};
    }
}
template <auto loss, class X>
consteval auto check_loss() {
    using L = std::remove_cvref_t<decltype(loss)>;
    if constexpr (!is_tensor<X>) {
        return Verdict<error_loss_needs_one_value<values_given<static_cast<int>(std::tuple_size_v<X>)>>>{};
    } else {
        using Found = decltype(L::template check_output<X::shape>());
        if constexpr (is_fine<Found>) return Output<X>{};
        else return Found{};
    }
}

template <auto layer, class X>
consteval auto check_shapes();

/// All branches on the same value.
template <auto branches, class X>
consteval auto check_fork() {
    using First = decltype(check_shapes<branches.first, X>());
    if constexpr (std::remove_cvref_t<decltype(branches)>::count == 1 || !is_fine<First>) {
        return First{};
    } else {
        using Rest = decltype(check_fork<branches.rest, X>());
        if constexpr (is_fine<Rest>) return Output<Joined<typename First::value, typename Rest::value>>{};
        else return Rest{};
    }
}
/// Each branch on a value of its own.
template <auto branches, class X, class... More>
consteval auto check_parallel(std::tuple<X, More...>*) {
    using First = decltype(check_shapes<branches.first, X>());
    if constexpr (sizeof...(More) == 0 || !is_fine<First>) {
        return First{};
    } else {
        using Rest = decltype(check_parallel<branches.rest>(static_cast<std::tuple<More...>*>(nullptr)));
        if constexpr (is_fine<Rest>) return Output<Joined<typename First::value, typename Rest::value>>{};
        else return Rest{};
    }
}

/// What a value is called in an error.
template <class X>
struct SpelledValue {
    using type = SpelledOf<X>;
};
template <class... X>
struct SpelledValue<std::tuple<X...>> {
    using type = values_are<SpelledOf<X>...>;
};
template <auto layer, int times, class X>
consteval auto check_repeat() {
    using First = decltype(check_shapes<layer, X>());
    if constexpr (!is_fine<First>) {
        return First{};
    } else {
        using Y = typename First::value;
        if constexpr (times == 1 || std::is_same_v<Y, X>) {
            return First{};
        } else {
            using Second = decltype(check_repeat<layer, times - 1, Y>());
            if constexpr (is_fine<Second>) return Second{};
            else
                return Verdict<error_repeated_layers_output_does_not_fit_its_input<
                    output_is<typename SpelledValue<Y>::type>, input_is<typename SpelledValue<X>::type>>>{};
        }
    }
}

template <auto layer, class X>
consteval auto check_shapes() {
    using L = std::remove_cvref_t<decltype(layer)>;
    using Tuple = typename AsTuple<X>::type;
    if constexpr (is_source<L> || std::is_same_v<L, Identity>) {
        return Output<X>{};
    } else if constexpr (is_chain<L>) {
        using First = decltype(check_shapes<layer.first, X>());
        if constexpr (is_fine<First>) return check_shapes<layer.second, typename First::value>();
        else return First{};
    } else if constexpr (is_repeat<L>) {
        return check_repeat<layer.layer, layer.times, X>();
    } else if constexpr (is_wrapper<L>) {
        return check_shapes<layer.layer, X>();
    } else if constexpr (is_fork<L> || is_costs<L>) {
        return check_fork<layer.branches, X>();
    } else if constexpr (is_parallel<L>) {
        constexpr int branches = decltype(layer.branches)::count, values = static_cast<int>(std::tuple_size_v<Tuple>);
        if constexpr (branches != values)
            return Verdict<
                error_Parallel_needs_one_branch_for_each_value<branches_given<branches>, values_given<values>>>{};
        else return check_parallel<layer.branches>(static_cast<Tuple*>(nullptr));
    } else if constexpr (LossLayer<L>) {
        return check_loss<layer, X>();
    } else {
        return check_layer<layer>(static_cast<Tuple*>(nullptr));
    }
}

// ---- parameters that are used several times ----

/// Can an expression mention shared parameters? Functions may hide some.
template <class L>
inline constexpr bool may_share = is_lambda<L>;
template <class A, class B>
inline constexpr bool may_share<Chain<A, B>> = may_share<A> || may_share<B>;
template <class L>
inline constexpr bool may_share<Repeat<L>> = may_share<L>;
template <class... L>
inline constexpr bool may_share<ForkOf<L...>> = (may_share<L> || ...);
template <class... L>
inline constexpr bool may_share<ParallelOf<L...>> = (may_share<L> || ...);
template <class... L>
inline constexpr bool may_share<CostsOf<L...>> = (may_share<L> || ...);
template <class L>
    requires is_wrapper<L>
inline constexpr bool may_share<L> = is_shared<L> || may_share<typename L::Held>;

// ---- names that are put together ----

constexpr int longer(int a, int b) { return a > b ? a : b; }
template <class B>
constexpr int branches_path_length(const B& branches);
/// Characters of the longest path of names and tags in an expression.
template <class L>
constexpr int path_length(const L& layer) {
    if constexpr (is_chain<L> || is_inputs<L>) return longer(path_length(layer.first), path_length(layer.second));
    else if constexpr (is_repeat<L>) return path_length(layer.layer);
    else if constexpr (is_fork<L> || is_parallel<L> || is_costs<L>) return branches_path_length(layer.branches);
    else if constexpr (requires {
                           layer.name.size;
                           layer.layer;
                       })
        return layer.name.size + 1 + path_length(layer.layer);
    else if constexpr (requires {
                           layer.tag.size;
                           layer.layer;
                       })
        return layer.tag.size + 1 + path_length(layer.layer);
    else if constexpr (is_wrapper<L>) return path_length(layer.layer);
    else return 0;
}
template <class B>
constexpr int branches_path_length(const B& branches) {
    if constexpr (B::count == 0) return 0;
    else return longer(path_length(branches.first), branches_path_length(branches.rest));
}

/// What only a trace finds.
struct TraceFault {
    SharedConflict conflict{};
    int too_long = 0;
};
template <auto expression>
constexpr TraceFault traced_fault();

template <class T>
struct TypeIs {
    using type = T;
};
template <auto expression>
consteval auto network_or_mistake() {
    using E = std::remove_cvref_t<decltype(expression)>;
    if constexpr (!is_source<First<E>>) {
        return TypeIs<error_network_must_start_with_Input<first_layer_is<First<E>>>>{};
    } else if constexpr (!LossLayer<Last<E>>) {
        return TypeIs<error_network_has_no_loss_layer<last_layer_is<Last<E>>>>{};
    } else if constexpr (!is_fine<decltype(check_values<expression>())>) {
        return TypeIs<MistakeOf<decltype(check_values<expression>())>>{};
    } else {
        using Shapes = decltype(check_shapes<expression, Packed<decltype(sources<expression>())>>());
        if constexpr (!is_fine<Shapes>) {
            return TypeIs<MistakeOf<Shapes>>{};
        } else if constexpr (may_share<E> || path_length(expression) > 25) {  // one name leaves room
            constexpr TraceFault fault = traced_fault<expression>();
            constexpr SharedConflict c = fault.conflict;
            if constexpr (fault.too_long > 0)
                return TypeIs<error_name_is_longer_than_63_characters<characters_given<fault.too_long>>>{};
            else if constexpr (c.found)
                return TypeIs<error_shared_layers_have_different_parameters<
                    typename Spelled<c.first, c.first.rank>::type, typename Spelled<c.second, c.second.rank>::type>>{};
            else return TypeIs<NetworkOf<expression>>{};
        } else {
            return TypeIs<NetworkOf<expression>>{};
        }
    }
}

}  // namespace detail
}  // namespace sigma
