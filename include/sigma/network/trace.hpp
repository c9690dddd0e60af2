// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/network/errors.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/scan.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

/// The one walk over an expression. It runs the forward functions and gives the tensors that come out, or what names
/// the first mistake; on its way the context notes layers, parameters and losses. Its type alone says whether an
/// expression is right, before anything is computed, so that the compiler's first error is at the user's line.
namespace sigma {

template <class L>
concept AnyLayer = std::is_base_of_v<Layer, L>;
template <class L>
concept LossLayer = std::is_base_of_v<Loss, L>;

namespace detail {

/// What is no layer, but says how values pass the layers inside it, by `trace(self, context, values)`.
struct Combinator {};
/// A combinator of several layers: a name around it is the beginning of a path.
struct Several : Combinator {};

/// One output of a network with the loss that judges it.
template <class LossSelf, Shape S>
struct CostOf {
    using Self = LossSelf;
    using Loss = std::remove_cvref_t<decltype(Self{}())>;
    static constexpr Shape output = S;
    static constexpr Shape target = Loss::target(Self{}, S);
    static constexpr Shape prediction = decltype(Loss::predict(Self{}, Tensor<S>{}))::shape;

    Tensor<S> z;
};

template <class X>
using SpelledOf = typename Spelled<X::shape, X::shape.rank>::type;
/// Shapes of one value or of several, as errors spell them.
template <class X>
struct SpelledValues {
    using type = SpelledOf<X>;
};
template <class... X>
struct SpelledValues<std::tuple<X...>> {
    using type = values_are<SpelledOf<X>...>;
};

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

struct Forward {
    void forward();
};
template <class L>
struct ForwardTwice : L, Forward {};
/// Has it anything of this name? Templates have no address to ask for; where there are two, the name means neither.
template <class L>
concept SaysForward = std::is_final_v<L> || !requires { &ForwardTwice<L>::forward; };
/// Would it do what it is asked for, had it another signature: not static, without the layer, or without the context?
template <class L, auto layer, class... X>
concept ForwardOtherwise =
    requires(const L& l, Context& context, X... x) { l.forward(Self<layer>{}, context, x...); } ||
    requires(const L& l, Context& context, X... x) { l.forward(context, x...); } ||
    requires(const L& l, X... x) { l.forward(Self<layer>{}, x...); } ||
    requires(const L& l, X... x) { l.forward(x...); };

/// What is wrong with a layer on values of types X.
template <auto layer, class... X>
consteval auto check_layer() {
    using L = std::remove_cvref_t<decltype(layer)>;
    using Found = decltype(check_shapes<layer, X::shape...>());
    if constexpr (!is_fine<Found>) {
        return Found{};
    } else if constexpr (!requires { L::kind; }) {
        return Mistake<error_layer_has_no_kind<layer_is<L>, write_static_constexpr_Text_kind>>{};
    } else if constexpr (!SaysForward<L>) {
        return Mistake<error_layer_has_no_forward<layer_is<L>, write_static_constexpr_auto_forward>>{};
    } else if constexpr (!requires(Context& context) { L::forward(Self<layer>{}, context, X{}...); }) {
        if constexpr (ForwardOtherwise<L, layer, X...>)
            return Mistake<error_forward_is_static_and_takes<layer_is<L>, auto_self_Context_context_auto_x>>{};
        else return Mistake<typename Refusal<L, X...>::type>{};
    } else {
        using Y = decltype(L::forward(Self<layer>{}, std::declval<Context&>(), X{}...));
        if constexpr (are_tensors<Y>) return Mistake<>{};
        else if constexpr (requires { typename Y::mistake; }) return Y{};  // the layer says itself what is wrong
        else if constexpr (!Complete<Y> && !std::is_void_v<Y>) return Mistake<Y>{};  // a mistake that forward found
        else return Mistake<error_forward_of_a_layer_must_return_a_tensor<layer_is<L>>>{};
    }
}
template <auto layer, class... X>
constexpr auto trace_layer(Context& context, const X&... x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    using Found = decltype(check_layer<layer, X...>());
    if constexpr (!is_fine<Found>) {
        return Found{};
    } else {
        context.begin_layer(L::kind);
        return context.end_layer(L::forward(Self<layer>{}, context, x...));
    }
}
/// What is wrong with a loss on an output of type X: a member that it must have, or what it says itself.
template <auto loss, class X>
consteval auto check_loss() {
    using L = std::remove_cvref_t<decltype(loss)>;
    using Given = decltype(check_shapes<loss>());
    if constexpr (!is_fine<Given>) {
        return Given{};
    } else if constexpr (!requires { L::kind; }) {
        return Mistake<error_layer_has_no_kind<layer_is<L>, write_static_constexpr_Text_kind>>{};
    } else if constexpr (!requires { L::classifies; }) {
        return Mistake<error_loss_lacks<layer_is<L>, static_constexpr_bool_classifies>>{};
    } else if constexpr (!requires { L::template check_output<X::shape>(); }) {
        return Mistake<error_loss_lacks<layer_is<L>, template_Shape_S_check_output>>{};
    } else {
        using Found = decltype(L::template check_output<X::shape>());
        if constexpr (!is_fine<Found>) return Found{};
        else if constexpr (!requires { L::target(Self<loss>{}, X::shape); })
            return Mistake<error_loss_lacks<layer_is<L>, target_of_auto_self_and_Shape>>{};
        else if constexpr (!requires(X z) { L::predict(Self<loss>{}, z); })
            return Mistake<error_loss_lacks<layer_is<L>, predict_of_auto_self_and_auto_z>>{};
        else if constexpr (!requires(X z, Tensor<L::target(Self<loss>{}, X::shape)> y) { L::loss(Self<loss>{}, z, y); })
            return Mistake<error_loss_lacks<layer_is<L>, loss_of_auto_self_auto_z_auto_y>>{};
        else return Mistake<>{};
    }
}
/// What leaves a network is the output, with the loss that judges it.
template <auto loss, class... X>
constexpr auto trace_loss(Context& context, const X&... x) {
    using L = std::remove_cvref_t<decltype(loss)>;
    if constexpr (sizeof...(X) != 1) {
        return Mistake<error_loss_needs_one_value<values_given<static_cast<int>(sizeof...(X))>>>{};
    } else {
        using Found = decltype(check_loss<loss, X...>());
        if constexpr (!is_fine<Found>) {
            return Found{};
        } else {
            const Scope& scope = context.scope;
            const bool named = scope.cost.size > 0;
            context.losses.push({named ? scope.cost : L::kind, scope.loss_weight, named, scope.name.size > 0});
            return CostOf<Self<loss>, X::shape...>{x...};
        }
    }
}

template <auto layer, class... X>
constexpr auto trace_one(Context& context, const X&... x) {
    if constexpr (LossLayer<std::remove_cvref_t<decltype(layer)>>) return trace_loss<layer>(context, x...);
    else return trace_layer<layer>(context, x...);
}

/// What comes out of a part of an expression when values go in: a tensor, a tuple of several, or a Mistake.
template <auto layer, class X>
constexpr auto trace(Context& context, const X& x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (std::is_base_of_v<Combinator, L>) return L::trace(Self<layer>{}, context, x);
    else if constexpr (is_tuple<X>)
        return std::apply([&](const auto&... each) { return trace_one<layer>(context, each...); }, x);
    else return trace_one<layer>(context, x);
}
template <auto layer, class X = std::tuple<>>
using TraceOf = decltype(trace<layer>(std::declval<Context&>(), std::declval<X>()));

/// A tuple of one is its element.
template <class... X>
constexpr auto packed(const std::tuple<X...>& x) {
    if constexpr (sizeof...(X) == 1) return std::get<0>(x);
    else return x;
}
/// Values side by side, or the first mistake among them.
template <class... Y>
constexpr auto side_by_side(const std::tuple<Y...>& each) {
    using Found = FirstMistake<Y...>;
    if constexpr (!is_fine<Found>) return Found{};
    else return packed(std::apply([](const auto&... y) { return std::tuple_cat(as_tuple(y)...); }, each));
}

}  // namespace detail
}  // namespace sigma
