// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/fingerprint.hpp>
#include <sigma/network/table.hpp>
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
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (f(std::integral_constant<int, i>{}), ...);
    }(std::make_integer_sequence<int, n>{});
}

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
    template <int parameter_room, int layer_room>
    struct FrozenIn {
        int parameter_count = 0, layer_count = 0;  ///< which may be more than there is room for
        Frozen<ParameterRecord, parameter_room> parameters{};
        Frozen<LayerRecord, layer_room> layers{};
        Frozen<CostRecord, N::cost_count> costs{};
        std::array<IdInput, N::input_count> ids{};
        std::uint64_t fingerprint = 0;  ///< of what the network computes in prediction, up to its losses
    };
    /// Of ids that come straight from an input; inputs are the first nodes of the tape.
    static constexpr void find_ids(const Traced& t, std::array<IdInput, N::input_count>& ids) {
        const Tape& tape = t.program.tape;
        for (int layer = 0; layer < t.layers.size(); ++layer) {
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
    static constexpr void describe(List<CostRecord>& costs) {
        for_each_number<N::cost_count>([&](auto i) {
            using Cost = typename N::template Cost<i>;
            using Loss = typename Cost::Loss;
            CostRecord& of = costs[i];
            of.kind = Loss::kind;
            of.classifies = Loss::classifies;
            of.output = Cost::output, of.target = Cost::target, of.prediction = Cost::prediction;
            if constexpr (requires { Loss::labels(typename Cost::Self{}, Cost::output); }) {
                of.has_labels = true;
                of.labels = Loss::labels(typename Cost::Self{}, Cost::output);
            }
            if constexpr (requires { Loss::targets(typename Cost::Self{}, Cost::output).kind; }) {
                of.has_rule = true;
                of.rule = Loss::targets(typename Cost::Self{}, Cost::output);
            }
        });
    }
    template <int parameter_room, int layer_room>
    static constexpr FrozenIn<parameter_room, layer_room> make() {
        const Traced t = traced();
        FrozenIn<parameter_room, layer_room> f;
        f.parameter_count = t.parameters.size();
        f.layer_count = t.layers.size();
        if (f.parameter_count > parameter_room || f.layer_count > layer_room) return f;
        for (int i = 0; i < f.parameter_count; ++i) f.parameters.data[i] = t.parameters[i];
        for (int i = 0; i < f.layer_count; ++i) f.layers.data[i] = t.layers[i];
        List<CostRecord> costs = N::describe_costs();
        describe(costs);
        for (int i = 0; i < N::cost_count; ++i) {  // costs are numbered after the layers
            f.costs.data[i] = costs[i];
            f.costs.data[i].name = {};
            f.costs.data[i].name.append(f.layer_count + i).append("-").append(costs[i].name.view());
        }
        find_ids(t, f.ids);
        ProgramFingerprint fingerprint(t.program.tape, t.parameters);
        for (const int result : t.results) fingerprint.result(result);
        f.fingerprint = fingerprint.value();
        return f;
    }
    /// How many there are is known when the network has been traced, but must be in a type. To trace it once only, they
    /// are put where those of most networks have room, and from there into what fits.
    static constexpr int room = 48;
    static constexpr auto roomy = make<room, room>();
    static constexpr int parameter_count = roomy.parameter_count;
    static constexpr int layer_count = roomy.layer_count;
    using Exact = FrozenIn<parameter_count, layer_count>;
    static constexpr Exact fitted() {
        if constexpr (parameter_count > room || layer_count > room) {
            return make<parameter_count, layer_count>();
        } else {
            Exact f;
            f.parameter_count = parameter_count, f.layer_count = layer_count;
            for (int i = 0; i < parameter_count; ++i) f.parameters.data[i] = roomy.parameters[i];
            for (int i = 0; i < layer_count; ++i) f.layers.data[i] = roomy.layers[i];
            f.costs = roomy.costs, f.ids = roomy.ids, f.fingerprint = roomy.fingerprint;
            return f;
        }
    }
    static constexpr Exact records = fitted();
};

template <class N>
constexpr NetworkTable make_network_table() {
    constexpr auto& of = NetworkRecords<N>::records;
    const auto view = []<class T, std::size_t n>(const std::array<T, n>& all) {
        return ListView<T>{all.data(), static_cast<int>(n)};
    };
    return {{of.parameters.data, of.parameter_count},
            {of.layers.data, of.layer_count},
            {of.costs.data, N::cost_count},
            view(N::inputs),
            view(of.ids),
            of.fingerprint};
}

}  // namespace detail

/// The network as data.
template <AnyNetwork N>
inline constexpr NetworkTable network_table = detail::make_network_table<N>();

}  // namespace sigma
