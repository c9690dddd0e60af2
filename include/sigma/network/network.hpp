// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/network/check.hpp>
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
    context.end_layer(y);
    return y;
}
template <auto layer, int times, Shape S>
constexpr auto trace_repeat(Context& context, Tensor<S> x);

template <auto layer, Shape S>
constexpr auto trace(Context& context, Tensor<S> x) {
    using L = std::remove_cvref_t<decltype(layer)>;
    if constexpr (std::is_same_v<L, Input> || LossLayer<L>) return x;
    else if constexpr (is_chain<L>) return trace<layer.second>(context, trace<layer.first>(context, x));
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

}  // namespace detail

/// What a network is made of; users write `Network`.
template <auto expression>
struct NetworkOf {
    using Expression = std::remove_cvref_t<decltype(expression)>;
    using Loss = detail::Last<Expression>;
    using LossSelf = Self<detail::last_of<expression>()>;
    static constexpr Shape input = detail::input_of<expression>().batched();
    static constexpr Shape output = decltype(detail::check_shapes<expression, input>())::shape;
    static constexpr Shape target = Loss::target(LossSelf{}, output);

    /// Output before the loss, on the tape of the context.
    static constexpr auto forward(Context& context, Tensor<input> x) {
        context.layers.push({Text{"0-input"}, input, 0, x.variable.id, 0, context.tape->size()});
        return detail::trace<expression>(context, x);
    }
};

/// A network from its expression, `struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};`, always under a
/// name of its own: errors, symbols and debuggers then say `Digits`. A wrong expression does not compile: it stands for
/// a type that is declared only and whose name says what is wrong.
template <auto expression>
using Network = typename decltype(detail::network_or_mistake<expression>())::type;

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
                if (node.operation == Operation::convolve)
                    f.multiply_adds.data[i] +=
                        node.shape.count() * t.program.tape[node.b].shape.count() / t.program.tape[node.b].shape[3];
                if (is_product(node.operation)) f.multiply_adds.data[i] += node.shape.count() * t.program.tape[node.a].shape.last();
            }
        }
        return f;
    }
    static constexpr Frozen_ records = make();
};

}  // namespace detail
}  // namespace sigma
