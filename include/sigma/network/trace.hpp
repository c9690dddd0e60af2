// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/check.hpp>
#include <sigma/tape/scan.hpp>

/// Runs the forward functions of an expression. Types change only where shapes change, so repeats of one shape are a
/// plain loop.
namespace sigma {

namespace detail {

/// A tuple of one is its element.
template <class... X>
constexpr auto packed(std::tuple<X...> x) {
    if constexpr (sizeof...(X) == 1) return std::get<0>(x);
    else return x;
}

template <auto layer, class... X>
constexpr auto trace_layer(Context& context, X... x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_lambda<L>) {  // the layers inside come first, and stand under its name
        const Scope outer = context.scope;
        if (outer.name.size > 0) context.scope.enter(outer.name.view());
        context.scope.name = Text{};
        const auto y = L::forward(Self<layer>{}, context, x...);
        context.scope = outer;
        context.begin_layer(L::kind);
        return context.end_layer(y);
    } else {
        context.begin_layer(L::kind);
        return context.end_layer(L::forward(Self<layer>{}, context, x...));
    }
}
template <auto layer, Shape S>
constexpr auto trace_one(Context& context, Tensor<S> x) {
    return trace_layer<layer>(context, x);
}
template <auto layer, class... X>
constexpr auto trace_one(Context& context, std::tuple<X...> x) {
    return std::apply([&](auto... each) { return trace_layer<layer>(context, each...); }, x);
}

template <auto layer, class X>
constexpr auto trace(Context& context, X x);

template <auto branches, class X>
constexpr auto trace_fork(Context& context, X x) {
    const auto first = as_tuple(trace<branches.first>(context, x));
    if constexpr (std::remove_cvref_t<decltype(branches)>::count == 1) {
        return first;
    } else {
        const auto rest = trace_fork<branches.rest>(context, x);
        return std::tuple_cat(first, rest);
    }
}
template <auto branches, int i = 0, class... X>
constexpr auto trace_parallel(Context& context, std::tuple<X...> x) {
    const auto first = as_tuple(trace<branches.first>(context, std::get<i>(x)));
    if constexpr (std::remove_cvref_t<decltype(branches)>::count == 1) {
        return first;
    } else {
        const auto rest = trace_parallel<branches.rest, i + 1>(context, x);
        return std::tuple_cat(first, rest);
    }
}
/// The next inputs, from number `i` of all; an input is a layer that records what comes from outside.
template <auto inputs, int i, class... X>
constexpr auto trace_inputs(Context& context, std::tuple<X...> x) {
    using L = std::remove_cvref_t<decltype(inputs)>;
    if constexpr (is_inputs<L>) {
        const auto first = trace_inputs<inputs.first, i>(context, x);
        const auto rest =
            trace_inputs<inputs.second, i + static_cast<int>(std::tuple_size_v<decltype(first)>)>(context, x);
        return std::tuple_cat(first, rest);
    } else if constexpr (is_wrapper<L>) {
        const Scope outer = context.scope;
        inputs.enter(context.scope, !is_inputs<typename L::Held>);
        const auto y = trace_inputs<inputs.layer, i>(context, x);
        context.scope = outer;
        return y;
    } else {
        context.begin_layer(Input::kind);
        return as_tuple(context.end_layer(std::get<i>(x)));
    }
}
template <auto layer, int times, class X>
constexpr auto trace_repeat(Context& context, X x) {
    auto y = trace<layer>(context, x);
    if constexpr (times == 1) {
        return y;
    } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(y)>, X>) {
        for (int i = 1; i < times; ++i) y = trace<layer>(context, y);
        return y;
    } else {
        return trace_repeat<layer, times - 1>(context, y);
    }
}

/// Is it one layer, which a name names, and not several?
template <class L>
inline constexpr bool is_elementary =
    !(is_chain<L> || is_repeat<L> || is_inputs<L> || is_fork<L> || is_parallel<L> || is_costs<L>);
template <class L>
    requires is_wrapper<L>
inline constexpr bool is_elementary<L> = is_elementary<typename L::Held>;

template <auto wrapper, class X>
constexpr auto trace_wrapper(Context& context, X x) {
    using L = std::remove_cvref_t<decltype(wrapper)>;
    const Scope outer = context.scope;
    wrapper.enter(context.scope, is_elementary<L>);
    if constexpr (is_shared<L>) {
        const auto y = context.share(wrapper.name, [&] { return trace<wrapper.layer>(context, x); });
        context.scope = outer;
        return y;
    } else {
        const auto y = trace<wrapper.layer>(context, x);
        context.scope = outer;
        return y;
    }
}

/// Losses let their input through: what leaves the trace are the outputs they judge.
template <auto layer, class X>
constexpr auto trace(Context& context, X x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_chain<L>) return trace<layer.second>(context, trace<layer.first>(context, x));
    else if constexpr (is_repeat<L>) return trace_repeat<layer.layer, layer.times>(context, x);
    else if constexpr (is_source<L>) return packed(trace_inputs<layer, 0>(context, as_tuple(x)));
    else if constexpr (is_wrapper<L>) return trace_wrapper<layer>(context, x);
    else if constexpr (is_fork<L> || is_costs<L>) return packed(trace_fork<layer.branches>(context, x));
    else if constexpr (is_parallel<L>) return packed(trace_parallel<layer.branches>(context, as_tuple(x)));
    else if constexpr (LossLayer<L> || std::is_same_v<L, Identity>) return x;
    else return trace_one<layer>(context, x);
}

template <auto expression>
constexpr TraceFault traced_fault() {
    Tape tape;
    Context context(tape, false);
    tape.context = &context;
    const auto leaves = [&](auto... x) {
        return std::tuple{Tensor<x.shape>{{&tape, tape.leaf(Operation::input, x.shape)}}...};
    };
    trace<expression>(context, packed(std::apply(leaves, sources<expression>())));
    return {context.conflict, context.too_long};
}

/// What is wrong with an expression that a function applies to values of types X, or where it leads.
template <auto expression, class... X>
consteval auto check_call() {
    using E = std::remove_cvref_t<decltype(expression)>;
    using Inside = decltype(inside_mistake<E, inside_a_function>());
    if constexpr (!is_fine<Inside>) {
        return Inside{};
    } else {
        using Given = decltype(check_values<expression>());
        if constexpr (!is_fine<Given>) return Given{};
        else return check_shapes<expression, Packed<std::tuple<X...>>>();
    }
}

}  // namespace detail

/// The functional form: inside a function that is a layer, `layer<Dense(64)>(x)` applies a layer, or any expression
/// without inputs and losses, to values. Each call has parameters of its own. Numbers follow the order of calls, so
/// give each a statement of its own: compilers choose the order of operands.
template <auto expression, Shape... S>
    requires(sizeof...(S) > 0) && detail::is_fine<decltype(detail::check_call<expression, Tensor<S>...>())>
constexpr auto layer(Tensor<S>... x) {
    const std::tuple<Tensor<S>...> values{x...};
    return detail::trace<expression>(*std::get<0>(values).variable.tape->context, detail::packed(values));
}
template <auto expression, Shape... S>
    requires(sizeof...(S) > 0) && (!detail::is_fine<decltype(detail::check_call<expression, Tensor<S>...>())>)
constexpr detail::MistakeOf<decltype(detail::check_call<expression, Tensor<S>...>())> layer(Tensor<S>...);

}  // namespace sigma
