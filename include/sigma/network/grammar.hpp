// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/trace.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

/// The network language: `a + b` is a after b in the flow of data, `n * a` is n layers like a, `a & b` are inputs side
/// by side, and any function over tensors is a layer. Expressions only name; what they mean is decided when a network
/// traces them.
namespace sigma {

namespace detail {

template <int i, class L>
struct Part {
    L part;
};
template <class Numbers, class... L>
struct PartsAt;
template <int... i, class... L>
struct PartsAt<std::integer_sequence<int, i...>, L...> : Part<i, L>... {};
/// Several layers in order, as a structural list: `part<2>(them)`.
template <class... L>
using Parts = PartsAt<std::make_integer_sequence<int, static_cast<int>(sizeof...(L))>, L...>;

template <int i, class L>
constexpr const L& part(const Part<i, L>& of) {
    return of.part;
}
/// `f` with the numbers of the parts, as constants.
template <int... i, class... L, class F>
constexpr auto with_numbers(const PartsAt<std::integer_sequence<int, i...>, L...>&, F f) {
    return f(std::integer_sequence<int, i...>{});
}
/// A combinator with the parts of two.
template <template <class...> class To, int... i, class... A, int... k, class... B>
constexpr To<A..., B...> joined(const PartsAt<std::integer_sequence<int, i...>, A...>& a,
                                const PartsAt<std::integer_sequence<int, k...>, B...>& b) {
    return To<A..., B...>{Parts<A..., B...>{{part<i, A>(a)}..., {part<k, B>(b)}...}};
}

/// Each part on the same values; the results stand side by side.
template <auto combinator>
constexpr auto trace_each(Context& context, const auto& x) {
    return with_numbers(combinator.parts, [&]<int... i>(std::integer_sequence<int, i...>) {
        return side_by_side(std::tuple{detail::trace<part<i>(combinator.parts)>(context, x)...});
    });
}

/// Values on their way through a sequence.
template <class X>
struct Flow {
    Context& context;
    X values;
};
template <class X, auto layer>
constexpr auto operator->*(const Flow<X>& flow, Self<layer>) {
    if constexpr (!is_fine<X>) {
        return flow;
    } else {
        const auto y = detail::trace<layer>(flow.context, flow.values);
        return Flow<std::remove_cvref_t<decltype(y)>>{flow.context, y};
    }
}

/// Layers behind each other.
template <class... L>
struct Sequence : Layer, detail::Several {
    detail::Parts<L...> parts;
    constexpr explicit Sequence(const detail::Parts<L...>& p) : parts(p) {}

    template <class X>
    static constexpr auto trace(auto self, Context& context, const X& x) {
        return detail::with_numbers(self().parts, [&]<int... i>(std::integer_sequence<int, i...>) {
            return (detail::Flow<X>{context, x}->*...->*Self<detail::part<i, L>(self().parts)>{}).values;
        });
    }
};

/// The same layer n times, each with parameters of its own.
template <class L>
struct Repeat : Layer, detail::Several {
    int times;
    L layer;
    constexpr Repeat(int n, L l) : times(n), layer(l) {}

    template <class X>
    static constexpr auto trace(auto self, Context& context, const X& x) {
        constexpr int n = self().times;
        if constexpr (n < 1) return Mistake<error_repeat_count_must_be_positive<times_given<n>>>{};
        else return again<self().layer, n>(context, x);
    }

private:
    template <class X>
    using Spelled = typename detail::SpelledValues<X>::type;

    /// Types change only where shapes change, so repeats of one shape are a plain loop.
    template <auto layer, int times, class X>
    static constexpr auto again(Context& context, const X& x) {
        auto y = detail::trace<layer>(context, x);
        using Y = decltype(y);
        if constexpr (times == 1 || !detail::is_fine<Y>) {
            return y;
        } else if constexpr (std::is_same_v<Y, X>) {
            for (int i = 1; i < times; ++i) y = detail::trace<layer>(context, y);
            return y;
        } else if constexpr (!detail::is_fine<decltype(again<layer, times - 1>(context, y))>) {
            return Mistake<
                error_repeated_layers_output_does_not_fit_its_input<output_is<Spelled<Y>>, input_is<Spelled<X>>>>{};
        } else {
            return again<layer, times - 1>(context, y);
        }
    }
};

/// Inputs side by side.
template <class... L>
struct Inputs : Layer, detail::Several {
    detail::Parts<L...> parts;
    constexpr explicit Inputs(const detail::Parts<L...>& p) : parts(p) {}

    static constexpr auto trace(auto self, Context& context, const auto& x) {
        return detail::trace_each<self()>(context, x);
    }
};

/// A function over tensors, by its type. Layers inside it come first, and stand under its name.
template <class F>
struct Lambda : Layer, detail::Combinator {
    static constexpr Text kind = "lambda";

    static constexpr auto forward(auto, Context&, auto... x)
        requires(std::is_invocable_v<F, decltype(x)...>)
    {
        return F{}(x...);
    }
    template <class... X>
    static constexpr auto trace(auto self, Context& context, const std::tuple<X...>& x) {
        return std::apply([&](const auto&... each) { return trace(self, context, each...); }, x);
    }
    template <class... X>
    static constexpr auto trace(auto self, Context& context, const X&... x) {
        using Found = decltype(detail::check_layer<self(), X...>());
        if constexpr (!detail::is_fine<Found>) {
            return Found{};
        } else {
            const Scope outer = context.scope;
            if (outer.name.size > 0) {
                context.scope.enter(outer.name.view());
                context.scope.outside = context.layers.size();
            }
            context.scope.name = Text{};
            const int first_node = context.tape->size();
            const auto y = F{}(x...);
            context.scope = outer;
            context.begin_layer(kind, first_node);
            return context.end_layer(y);
        }
    }
};

template <class L>
inline constexpr bool is_inputs = false;
template <class... L>
inline constexpr bool is_inputs<Inputs<L...>> = true;

/// Is it one layer, which a name names, and not several?
template <class L>
inline constexpr bool is_elementary = !std::is_base_of_v<Several, L>;

/// Says something of the layer it holds, `layer`; data flow through that as if it stood alone. `check(self)` says what
/// is wrong with what it says, `enter(scope, elementary)` says it.
struct Wrapper : Layer, detail::Combinator {
    template <class X>
    static constexpr auto trace(auto self, Context& context, const X& x) {
        using W = std::remove_cvref_t<decltype(self())>;
        using Found = decltype(W::check(self));
        if constexpr (!detail::is_fine<Found>) {
            return Found{};
        } else {
            const Scope outer = context.scope;
            self().enter(context.scope, detail::is_elementary<W>);
            if (context.scope.path.size > outer.path.size) context.scope.outside = context.layers.size();
            const auto y = W::inside(self, context, x);
            context.scope = outer;
            return y;
        }
    }
    static constexpr auto check(auto) { return Mistake<>{}; }
    static constexpr auto inside(auto self, Context& context, const auto& x) {
        return detail::trace<self().layer>(context, x);
    }
};

template <class L>
    requires std::is_base_of_v<Wrapper, L>
inline constexpr bool is_elementary<L> = is_elementary<decltype(L::layer)>;

// What starts and what ends an expression, looking through sequences and wrappers.
template <class L>
struct Ends {
    using first = L;
    using last = L;
    static constexpr const L& first_of(const L& l) { return l; }
};
template <class A, class... B>
struct Ends<Sequence<A, B...>> {
    using first = typename Ends<A>::first;
    using last = typename Ends<typename decltype((std::type_identity<B>{}, ...))::type>::last;
    static constexpr const first& first_of(const Sequence<A, B...>& l) {
        return Ends<A>::first_of(part<0, A>(l.parts));
    }
};
template <class L>
    requires std::is_base_of_v<Wrapper, L>
struct Ends<L> {
    using Held = decltype(L::layer);
    using first = typename Ends<Held>::first;
    using last = typename Ends<Held>::last;
    static constexpr const first& first_of(const L& l) { return Ends<Held>::first_of(l.layer); }
};
template <class L>
using First = typename Ends<L>::first;
template <class L>
using Last = typename Ends<L>::last;
template <class L>
constexpr const First<L>& first_of(const L& l) {
    return Ends<L>::first_of(l);
}

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
/// The parts of a combinator of a kind; of anything else, this alone.
template <template <class...> class Kind, class... L>
constexpr const Parts<L...>& parts_of(const Kind<L...>& of) {
    return of.parts;
}
template <template <class...> class Kind, class L>
constexpr Parts<AsLayer<L>> parts_of(const L& l) {
    return {{as_layer(l)}};
}

/// What is wrong with `A + B`.
template <class A, class B>
consteval auto sequence_mistake() {
    if constexpr (captures<A>) return Mistake<error_function_must_not_capture<A>>{};
    else if constexpr (captures<B>) return Mistake<error_function_must_not_capture<B>>{};
    else if constexpr (LossLayer<Last<A>>) return Mistake<error_loss_is_only_allowed_last<after_layer<Last<A>>>>{};
    else if constexpr (is_source<First<B>>) return Mistake<error_Input_is_only_allowed_first<after_layer<Last<A>>>>{};
    else return Mistake<>{};
}
/// What is wrong with a layer that stands inside something.
template <class L, class Place>
consteval auto inside_mistake() {
    if constexpr (captures<L>) return Mistake<error_function_must_not_capture<L>>{};
    else if constexpr (LossLayer<Last<L>>) return Mistake<error_loss_is_only_allowed_last<Place>>{};
    else if constexpr (is_source<First<L>>) return Mistake<error_Input_is_only_allowed_first<Place>>{};
    else return Mistake<>{};
}

}  // namespace detail

template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B> &&
            detail::is_fine<decltype(detail::sequence_mistake<A, B>())>
constexpr auto operator+(const A& a, const B& b) {
    return detail::joined<detail::Sequence>(detail::parts_of<detail::Sequence>(a),
                                            detail::parts_of<detail::Sequence>(b));
}
template <class A, class B>
    requires(AnyLayer<A> || AnyLayer<B>) && detail::Operand<A> && detail::Operand<B> &&
            (!detail::is_fine<decltype(detail::sequence_mistake<A, B>())>)
constexpr auto operator+(const A&, const B&)
    -> decltype(detail::plainly(std::type_identity<detail::MistakeOf<decltype(detail::sequence_mistake<A, B>())>>{}));

template <AnyLayer L>
    requires detail::is_fine<decltype(detail::inside_mistake<L, inside_a_repeat>())>
constexpr auto operator*(int n, L layer) {
    return detail::Repeat<L>{n, layer};
}
template <AnyLayer L>
    requires(!detail::is_fine<decltype(detail::inside_mistake<L, inside_a_repeat>())>)
constexpr auto operator*(int, L) -> decltype(detail::plainly(
    std::type_identity<detail::MistakeOf<decltype(detail::inside_mistake<L, inside_a_repeat>())>>{}));

/// Inputs side by side: `Input(28, 28) & Input(10)` gives the layers behind it two values.
template <AnyLayer A, AnyLayer B>
    requires(detail::is_source<detail::Last<A>> && detail::is_source<detail::Last<B>>)
constexpr auto operator&(const A& a, const B& b) {
    return detail::joined<detail::Inputs>(detail::parts_of<detail::Inputs>(a), detail::parts_of<detail::Inputs>(b));
}

namespace detail {

/// What an expression gives that a function applies to values of types X: a tuple, or a Mistake.
template <auto expression, class... X>
consteval auto called() {
    using Found = decltype(inside_mistake<std::remove_cvref_t<decltype(expression)>, inside_a_function>());
    if constexpr (is_fine<Found>)
        return std::type_identity<TraceOf<expression, decltype(packed(std::tuple<X...>{}))>>{};
    else return std::type_identity<Found>{};
}
template <auto expression, class... X>
using CallMistakeOf = MistakeOf<typename decltype(called<expression, X...>())::type>;

}  // namespace detail

/// The functional form: inside a function that is a layer, `layer<Dense(64)>(x)` applies a layer, or any expression
/// without inputs and losses, to values. Each call has parameters of its own. Numbers follow the order of calls, so
/// give each a statement of its own: compilers choose the order of operands.
template <auto expression, Shape... S>
    requires(sizeof...(S) > 0) && std::is_void_v<detail::CallMistakeOf<expression, Tensor<S>...>>
constexpr auto layer(Tensor<S>... x) {
    const std::tuple<Tensor<S>...> values{x...};
    return detail::trace<expression>(static_cast<Context&>(*std::get<0>(values).variable.tape->tracer),
                                     detail::packed(values));
}
template <auto expression, Shape... S>
    requires(sizeof...(S) > 0) && (!std::is_void_v<detail::CallMistakeOf<expression, Tensor<S>...>>)
constexpr auto layer(Tensor<S>...)
    -> decltype(detail::plainly(std::type_identity<detail::CallMistakeOf<expression, Tensor<S>...>>{}));

}  // namespace sigma
