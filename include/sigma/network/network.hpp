// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/fingerprint.hpp>
#include <sigma/network/trace.hpp>
#include <sigma/plan/freeze.hpp>

#include <array>

namespace sigma {

namespace detail {

/// The losses of an expression, in the order of its outputs, as types Self<loss>.
template <auto e>
consteval auto losses();
template <auto branches>
consteval auto losses_of_branches() {
    if constexpr (std::remove_cvref_t<decltype(branches)>::count == 0) return std::tuple<>{};
    else return std::tuple_cat(losses<branches.first>(), losses_of_branches<branches.rest>());
}
template <auto e>
consteval auto losses() {
    using E = std::remove_cvref_t<decltype(e)>;
    if constexpr (is_chain<E>) return losses<e.second>();
    else if constexpr (is_wrapper<E>) return losses<e.layer>();
    else if constexpr (is_costs<E>) return losses_of_branches<e.branches>();
    else return std::tuple<Self<e>>{};
}

/// One output with its loss.
template <class LossSelf, class Z>
struct CostOf {
    using Self = LossSelf;
    using Loss = std::remove_cvref_t<decltype(Self{}())>;
    static constexpr Shape output = Z::shape;
    static constexpr Shape target = Loss::target(Self{}, Z::shape);
    static constexpr Shape prediction = decltype(Loss::predict(Self{}, Z{}))::shape;
};
template <class Losses, class Outputs>
struct CostsOfNetwork;
template <class... LossSelf, class... Z>
struct CostsOfNetwork<std::tuple<LossSelf...>, std::tuple<Z...>> {
    using type = std::tuple<CostOf<LossSelf, Z>...>;
};

struct CostRecord {
    Text name{};  ///< "5-squared_diff", "5-price"
    double importance = 1;
};
/// Names and importance of the costs of an expression. The innermost name holds.
template <auto e>
constexpr void describe_costs(List<CostRecord>& costs, Text name, double importance);
template <auto branches>
constexpr void describe_branches(List<CostRecord>& costs, const Text& name, double importance) {
    if constexpr (std::remove_cvref_t<decltype(branches)>::count > 0) {
        describe_costs<branches.first>(costs, name, importance);
        describe_branches<branches.rest>(costs, name, importance);
    }
}
template <auto e>
constexpr void describe_costs(List<CostRecord>& costs, Text name, double importance) {
    using E = std::remove_cvref_t<decltype(e)>;
    if constexpr (is_chain<E>) {
        describe_costs<e.second>(costs, name, importance);
    } else if constexpr (is_costs<E>) {
        describe_branches<e.branches>(costs, name, importance);
    } else if constexpr (is_wrapper<E>) {
        if constexpr (is_importance<E>) importance *= e.weight;
        else if constexpr (requires { e.name; }) name = e.name;
        describe_costs<e.layer>(costs, name, importance);
    } else {
        costs.push({name.size > 0 ? name : E::kind, importance});
    }
}

}  // namespace detail

/// What a network is made of; users write `Network`. Shapes without a number are those of the first input and cost.
template <auto expression>
struct NetworkOf {
    using Expression = std::remove_cvref_t<decltype(expression)>;
    /// Types of all inputs, and of all outputs before their losses, as tuples of tensors.
    using InputTensors = decltype(detail::sources<expression>());
    using OutputTensors = typename detail::AsTuple<
        typename decltype(detail::check_shapes<expression, detail::Packed<InputTensors>>())::value>::type;
    using Costs = typename detail::CostsOfNetwork<decltype(detail::losses<expression>()), OutputTensors>::type;
    template <int i>
    using Cost = std::tuple_element_t<static_cast<std::size_t>(i), Costs>;
    using Loss = typename Cost<0>::Loss;
    using LossSelf = typename Cost<0>::Self;

    static constexpr int input_count = static_cast<int>(std::tuple_size_v<InputTensors>);
    static constexpr int cost_count = static_cast<int>(std::tuple_size_v<Costs>);
    template <int i>
    static constexpr Shape input_shape = std::tuple_element_t<static_cast<std::size_t>(i), InputTensors>::shape;
    static constexpr Shape input = input_shape<0>;
    static constexpr Shape output = Cost<0>::output;
    static constexpr Shape target = Cost<0>::target;
    static constexpr auto inputs = std::apply([](auto... x) { return std::array{x.shape...}; }, InputTensors{});
    static constexpr auto targets = std::apply([](auto... c) { return std::array{c.target...}; }, Costs{});
    static constexpr auto predictions = std::apply([](auto... c) { return std::array{c.prediction...}; }, Costs{});

    /// Outputs before the losses, on the tape of the context: a tensor, or a tuple where there are several.
    template <Shape... S>
    static constexpr auto forward(Context& context, Tensor<S>... x) {
        context.tape->context = &context;
        const auto z = detail::trace<expression>(context, detail::packed(std::tuple<Tensor<S>...>{x...}));
        context.tape->context = nullptr;
        return z;
    }
    static constexpr List<detail::CostRecord> describe_costs() {
        List<detail::CostRecord> costs;
        detail::describe_costs<expression>(costs, {}, 1);
        return costs;
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

/// `f` of each input's number, or of each cost's, as a constant.
template <int n, class F>
constexpr void for_each_number(F f) {
    [&]<int... i>(std::integer_sequence<int, i...>) { (f(std::integral_constant<int, i>{}), ...); }(
        std::make_integer_sequence<int, n>{});
}

/// An input whose numbers name rows of an Embedding's table.
struct IdInput {
    int rows = 0;  ///< of the smallest such table; 0 where the input is none
    int layer = -1;
};

/// What a network's trace says about its layers and parameters, as static data.
template <class N>
struct NetworkRecords {
    struct Traced {
        List<ParameterRecord> parameters;
        List<LayerRecord> layers;
        List<LayerOutput> outputs;
        List<int> results;  ///< variables that leave the trace, one for each cost
        Program program;
    };
    /// Each layer's output has a node of its own here, so that every edge of the graph can be found on the tape.
    static constexpr Traced traced() {
        Traced t;
        Context context(t.program.tape, false, true);
        const auto leaves = [&](auto... x) {
            return std::tuple{Tensor<x.shape>{{&t.program.tape, t.program.tape.leaf(Operation::input, x.shape)}}...};
        };
        const auto z = std::apply([&](auto... x) { return as_tuple(N::forward(context, x...)); },
                                  std::apply(leaves, typename N::InputTensors{}));
        std::apply([&](auto... each) { (t.results.push(each.variable.id), ...); }, z);
        if (context.too_long > 0) error_text_is_longer_than_63_characters("", "a layer or parameter has");
        t.parameters = std::move(context.parameters);
        t.layers = std::move(context.layers);
        t.outputs = std::move(context.outputs);
        return t;
    }
    struct Counts {
        int parameters, layers;
    };
    static constexpr Counts count() {
        const Traced t = traced();
        return {t.parameters.size(), t.layers.size()};
    }
    static constexpr Counts counts = count();
    static constexpr int parameter_count = counts.parameters;
    static constexpr int layer_count = counts.layers;
    struct Frozen_ {
        Frozen<ParameterRecord, parameter_count> parameters{};
        Frozen<LayerRecord, layer_count> layers{};
        Frozen<CostRecord, N::cost_count> costs{};
        std::array<IdInput, N::input_count> ids{};
        std::uint64_t fingerprint = 0;  ///< of what the network computes in prediction, up to its losses
    };
    /// Of ids that come straight from an input; inputs are the first nodes of the tape.
    static constexpr void find_ids(const Traced& t, std::array<IdInput, N::input_count>& ids) {
        const Tape& tape = t.program.tape;
        for (int layer = 0; layer < layer_count; ++layer) {
            if (t.layers[layer].kind.view() != "embedding") continue;
            for (int i = t.layers[layer].first_node; i < t.layers[layer].end_node; ++i) {
                if (tape[i].operation != Operation::gather) continue;
                int from = tape[i].b;
                while (tape[from].operation == Operation::copy || tape[from].operation == Operation::reshape)
                    from = tape[from].a;
                if (tape[from].operation != Operation::input) continue;
                IdInput& of = ids[static_cast<std::size_t>(from)];
                const int rows = tape[tape[i].a].shape[0];
                if (of.rows == 0 || rows < of.rows) of = {rows, layer};
            }
        }
    }
    static constexpr Frozen_ make() {
        const Traced t = traced();
        Frozen_ f;
        for (int i = 0; i < parameter_count; ++i) f.parameters.data[i] = t.parameters[i];
        for (int i = 0; i < layer_count; ++i) f.layers.data[i] = t.layers[i];
        const List<CostRecord> costs = N::describe_costs();
        for (int i = 0; i < N::cost_count; ++i) {  // costs are numbered after the layers
            f.costs.data[i].name.append(layer_count + i).append("-").append(costs[i].name.view());
            f.costs.data[i].importance = costs[i].importance;
        }
        find_ids(t, f.ids);
        ProgramFingerprint fingerprint(t.program.tape, t.parameters);
        for (const int result : t.results) fingerprint.result(result);
        f.fingerprint = fingerprint.value();
        return f;
    }
    static constexpr Frozen_ records = make();
};

}  // namespace detail
}  // namespace sigma
