// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/network/grammar.hpp>
#include <sigma/plan/freeze.hpp>

namespace sigma {

namespace detail {

// ---- tracing: types change only where shapes change, so repeats of one shape are a plain loop ----

template <auto layer, Shape S>
constexpr auto trace_one(Context& context, Tensor<S> x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    context.begin_layer(L::kind);
    const auto y = L::forward(Self<layer>{}, context, x);
    static_assert(is_tensor<std::remove_cvref_t<decltype(y)>>, "a layer's forward function returns a tensor");
    context.end_layer(y);
    return y;
}
template <auto layer, int times, Shape S>
constexpr auto trace_repeat(Context& context, Tensor<S> x);

template <auto layer, Shape S>
constexpr auto trace(Context& context, Tensor<S> x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_chain<L>) return trace<layer.second>(context, trace<layer.first>(context, x));
    else if constexpr (is_repeat<L>) return trace_repeat<layer.layer, layer.times>(context, x);
    else return trace_one<layer>(context, x);
}
template <auto layer, int times, Shape S>
constexpr auto trace_repeat(Context& context, Tensor<S> x) {
    auto y = trace<layer>(context, x);
    if constexpr (times == 1) {
        return y;
    } else if constexpr (std::remove_cvref_t<decltype(y)>::shape == S) {
        for (int i = 1; i < times; ++i) y = trace<layer>(context, y);
        return y;
    } else {
        return trace_repeat<layer, times - 1>(context, y);
    }
}

// ---- checks of what is said before any shape is known ----

template <auto layer>
consteval bool check_values() {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (is_chain<L>) {
        return check_values<layer.first>() && check_values<layer.second>();
    } else if constexpr (is_repeat<L>) {
        if constexpr (layer.times < 1) return sizeof(error_repeat_count_must_be_positive<times_given<layer.times>>);
        else return check_values<layer.layer>();
    } else if constexpr (requires { L::check(Self<layer>{}); }) {
        return L::check(Self<layer>{});
    } else {
        return true;
    }
}
template <class E>
consteval bool well_formed() {
    using First = typename Ends<E>::first;
    using Last = typename Ends<E>::last;
    if constexpr (!std::is_same_v<First, Input>) return sizeof(error_network_must_start_with_Input<first_layer_is<First>>);
    else if constexpr (!LossLayer<Last>) return sizeof(error_network_has_no_loss_layer<last_layer_is<Last>>);
    else return true;
}
/// The expression without its Input and its loss.
template <auto e>
consteval auto body() {
    using E = std::remove_cvref_t<decltype(e)>;
    using A = std::remove_cvref_t<decltype(e.first)>;
    if constexpr (std::is_same_v<A, Input>) return e.second;
    else return Chain{body<e.first>(), e.second};
    static_assert(is_chain<E>);
}
template <auto e>
consteval Input input_of() {
    using E = std::remove_cvref_t<decltype(e)>;
    if constexpr (is_chain<E>) return input_of<e.first>();
    else return e;
}

}  // namespace detail

/// A network from its expression, `struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};`, always under a
/// name of its own: errors, symbols and debuggers then say `Digits`. A wrong expression does not compile.
template <auto expression>
struct Network {
    using Expression = std::remove_cvref_t<decltype(expression)>;
    static_assert(detail::well_formed<Expression>());
    static_assert(detail::check_values<expression>());

    using Loss = typename detail::Ends<Expression>::last;
    static constexpr Shape input = detail::input_of<expression>().batched();

    /// Output before the loss, on the tape of the context.
    static constexpr auto forward(Context& context, Tensor<input> x) {
        context.layers.push({Text{"0-input"}, input, 0, x.variable.id, 0, context.tape->size()});
        using First = std::remove_cvref_t<decltype(expression.first)>;
        if constexpr (std::is_same_v<First, Input>) return x;  // a loss straight after the input
        else return detail::trace<detail::body<expression.first>()>(context, x);
    }
    using Output = decltype(forward(std::declval<Context&>(), Tensor<input>{}));
    static constexpr Shape output = Output::shape;
    static_assert(Loss::template check_output<output>());
    static constexpr Shape target = Loss::target(output);
};

template <class N>
concept AnyNetwork = requires {
    { N::input } -> std::convertible_to<Shape>;
    { N::target } -> std::convertible_to<Shape>;
    typename N::Loss;
};

namespace detail {

/// What a network's trace says about its layers and parameters, as static data.
template <class N>
struct NetworkRecords {
    struct Traced {
        List<ParameterRecord> parameters;
        List<LayerRecord> layers;
        Program program;
    };
    static constexpr Traced traced() {
        Traced t;
        Context context(t.program.tape, false);
        N::forward(context, Tensor<N::input>{{&t.program.tape, t.program.tape.leaf(Operation::input, N::input)}});
        t.parameters = context.parameters;
        t.layers = context.layers;
        return t;
    }
    static constexpr int parameter_count = traced().parameters.size();
    static constexpr int layer_count = traced().layers.size();
    struct Frozen_ {
        Frozen<ParameterRecord, parameter_count> parameters{};
        Frozen<LayerRecord, layer_count> layers{};
        Frozen<long long, layer_count> multiply_adds{};
    };
    static constexpr Frozen_ make() {
        const Traced t = traced();
        Frozen_ f;
        for (int i = 0; i < parameter_count; ++i) f.parameters.data[i] = t.parameters[i];
        for (int i = 0; i < layer_count; ++i) {
            f.layers.data[i] = t.layers[i];
            for (int n = t.layers[i].first_node; n < t.layers[i].end_node; ++n) {
                const Node& node = t.program.tape[n];
                if (is_product(node.operation)) f.multiply_adds.data[i] += node.shape.count() * t.program.tape[node.a].shape.last();
            }
        }
        return f;
    }
    static constexpr Frozen_ records = make();
};

}  // namespace detail
}  // namespace sigma
