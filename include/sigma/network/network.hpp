// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/fingerprint.hpp>
#include <sigma/network/table.hpp>
#include <sigma/plan/static_plan.hpp>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sigma {

namespace detail {

template <class Outputs>
struct OutputsOf;
template <class... Cost>
struct OutputsOf<std::tuple<Cost...>> {
    using type = std::tuple<Tensor<Cost::output>...>;
};

}  // namespace detail

/// What a network is made of; users write `Network`. Shapes without a number are those of the first input and cost.
template <auto expression>
struct NetworkOf {
    /// The outputs with their losses, `CostOf`.
    using Costs = decltype(detail::as_tuple(std::declval<detail::TraceOf<expression>>()));
    /// Types of all inputs, and of all outputs before their losses, as tuples of tensors.
    using InputTensors = decltype(detail::as_tuple(std::declval<detail::TraceOf<detail::first_of(expression)>>()));
    using OutputTensors = typename detail::OutputsOf<Costs>::type;
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

    /// Outputs before the losses, on the tape of the context.
    template <Shape... S>
    static constexpr OutputTensors forward(Context& context, Tensor<S>... x) {
        (context.inputs.push(x.variable), ...);
        context.tape->tracer = &context;
        const Costs costs = detail::as_tuple(detail::trace<expression>(context, std::tuple<>{}));
        context.tape->tracer = nullptr;
        return std::apply([](const auto&... cost) { return OutputTensors{cost.z...}; }, costs);
    }
    /// This class, to those derived from it.
    using Base = NetworkOf;
};

namespace detail {

/// `f` of each input's number, or of each cost's, as a constant.
template <int n, class F>
constexpr void for_each_number(F f) {
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (f(std::integral_constant<int, i>{}), ...);
    }(std::make_integer_sequence<int, n>{});
}

/// What the trace of a network says about its layers and parameters, as data. It is traced once, for the class that all
/// networks of an expression derive from.
template <class N>
struct TracedNetwork {
    struct Traced {
        List<ParameterRecord> parameters;
        List<LayerRecord> layers;
        List<LayerOutput> outputs;
        List<LossRecord> losses;
        List<CarriedState> states;
        List<int> results;  ///< variables that leave the trace, one for each cost
        SharedConflict conflict{};
        int too_long = 0;
        Program program;
    };
    /// Each layer's output has a node of its own here, so that every edge of the graph can be found on the tape.
    static constexpr Traced traced() {
        Traced t;
        Context context(t.program.tape, false, true);
        const auto leaves = [&](auto... x) {
            return std::tuple{Tensor<x.shape>{{&t.program.tape, t.program.tape.leaf(Operation::input, x.shape)}}...};
        };
        const auto z = std::apply([&](auto... x) { return N::forward(context, x...); },
                                  std::apply(leaves, typename N::InputTensors{}));
        std::apply([&](auto... each) { (t.results.push(each.variable.id), ...); }, z);
        t.conflict = context.conflict, t.too_long = context.too_long;
        t.losses = std::move(context.losses);
        t.parameters = std::move(context.parameters);
        t.layers = std::move(context.layers);
        t.outputs = std::move(context.outputs);
        t.states = std::move(context.carried);
        return t;
    }
    template <int parameter_capacity, int layer_capacity, int state_capacity>
    struct Bounded {
        int parameter_count = 0, layer_count = 0, state_count = 0;  ///< which may be more than there is room for
        StaticArray<ParameterRecord, parameter_capacity> parameters{};
        StaticArray<LayerRecord, layer_capacity> layers{};
        StaticArray<CarriedState, state_capacity> states{};
        StaticArray<CostRecord, N::cost_count> costs{};
        std::array<IdInput, N::input_count> ids{};
        std::uint64_t fingerprint = 0;  ///< of what the network computes in prediction, up to its losses
        Text twice{};                   ///< a name of two layers or costs
        int activated = -1;             ///< a cost whose loss applies the activation before it itself
        SharedConflict conflict{};      ///< what only a trace finds wrong
        int too_long = 0;
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
    /// A name that the expression gives to two layers, or to two costs.
    static constexpr Text name_given_twice(const Traced& t) {
        for (int i = 0; i < t.layers.size(); ++i)
            for (int k = 0; k < i && t.layers[i].named; ++k)
                if (t.layers[k].name == t.layers[i].name) return t.layers[i].name;
        for (int i = 0; i < t.losses.size(); ++i)
            for (int k = 0; k < i && t.losses[i].named_alone; ++k)
                if (t.losses[k].named_alone && t.losses[k].name == t.losses[i].name) return t.losses[i].name;
        return {};
    }
    /// A name around several costs names none of them.
    static constexpr bool is_named(const Traced& t, int cost) {
        int alike = 0;
        for (const LossRecord& l : t.losses) alike += l.named && l.name == t.losses[cost].name;
        return t.losses[cost].named && alike == 1;
    }
    /// Of the leaves that the trace records as parameters.
    struct LeafNames {
        const List<ParameterRecord>& parameters;
        const List<CarriedState>& states;

        struct Named {
            Text name;
        };
        constexpr Named operator[](int i) const {
            return {i < Context::recorded_states ? parameters[i].name : states[i - Context::recorded_states].name};
        }
    };
    static constexpr std::uint64_t fingerprint_of(const Traced& t, const LeafNames& names) {
        ProgramFingerprint fingerprint(t.program.tape, names);
        for (const int result : t.results) fingerprint.result(result);
        return fingerprint.value();
    }
    /// Costs without a name are numbered after the layers.
    static constexpr void describe(const Traced& t, StaticArray<CostRecord, N::cost_count>& costs) {
        for_each_number<N::cost_count>([&](auto i) {
            using Cost = typename N::template Cost<i>;
            using Loss = typename Cost::Loss;
            CostRecord& of = costs.data[i];
            of.named = is_named(t, i);
            if (!of.named) of.name.append(t.layers.size() + i).append("-");
            of.name.append(t.losses[i].name.view());
            of.loss_weight = t.losses[i].loss_weight;
            of.kind = Loss::kind;
            of.classifies = Loss::classifies;
            if constexpr (Loss::classifies) of.has_accuracy = true;
            else
                of.has_accuracy =
                    requires { Loss::accuracy(typename Cost::Self{}, Tensor<Cost::output>{}, Tensor<Cost::target>{}); };
            of.output = Cost::output, of.target = Cost::target, of.prediction = Cost::prediction;
            of.compared = Cost::target;
            if constexpr (requires { Loss::weighs_records; }) {
                of.weighs = true;
                of.compared = Loss::compared(typename Cost::Self{}, Cost::output);
            }
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
    /// A cost whose predictions are f(z), where z is f of something itself.
    static constexpr int activated_twice(Traced& t) {
        int found = -1;
        for_each_number<N::cost_count>([&](auto i) {
            using Cost = typename N::template Cost<i>;
            const int z = t.program.tape.leaf(Operation::input, Cost::output);
            const auto said = Cost::Loss::predict(typename Cost::Self{}, Tensor<Cost::output>{{&t.program.tape, z}});
            if (behind_views(t.program.tape, said.variable.id) == z || found >= 0) return;
            if (SameFunction(t.program.tape, z)(said.variable.id, t.results[i])) found = i;
        });
        return found;
    }
    template <int parameter_capacity, int layer_capacity, int state_capacity>
    static constexpr Bounded<parameter_capacity, layer_capacity, state_capacity> make() {
        Traced t = traced();
        Bounded<parameter_capacity, layer_capacity, state_capacity> f;
        f.parameter_count = t.parameters.size();
        f.layer_count = t.layers.size();
        f.state_count = t.states.size();
        f.conflict = t.conflict, f.too_long = t.too_long;
        if (f.parameter_count > parameter_capacity || f.layer_count > layer_capacity ||
            f.state_count > state_capacity || f.too_long > 0)
            return f;
        for (int i = 0; i < f.parameter_count; ++i) f.parameters.data[i] = t.parameters[i];
        for (int i = 0; i < f.layer_count; ++i) f.layers.data[i] = t.layers[i];
        for (int i = 0; i < f.state_count; ++i) f.states.data[i] = t.states[i];
        describe(t, f.costs);
        find_ids(t, f.ids);
        f.twice = name_given_twice(t);
        for (int i = 0; i < N::cost_count; ++i) f.costs.data[i].range = range_of(t.program.tape, t.results[i]);
        f.fingerprint = fingerprint_of(t, {t.parameters, t.states});
        f.activated = activated_twice(t);
        return f;
    }
    /// How many there are is known when the network has been traced, but must be in a type. To trace it once only, they
    /// are put where those of most networks have room, and from there into what fits.
    static constexpr int capacity = 48, state_capacity = 4;
    static constexpr auto bounded = make<capacity, capacity, state_capacity>();
};

/// What a network's trace says about its layers and parameters, as static data.
template <class N>
struct NetworkRecords {
    using Of = TracedNetwork<typename N::Base>;
    static constexpr int parameter_count = Of::bounded.parameter_count;
    static constexpr int layer_count = Of::bounded.layer_count;
    static constexpr int state_count = Of::bounded.state_count;
    using Exact = typename Of::template Bounded<parameter_count, layer_count, state_count>;
    static constexpr Exact fitted() {
        if constexpr (parameter_count > Of::capacity || layer_count > Of::capacity ||
                      state_count > Of::state_capacity) {
            return Of::template make<parameter_count, layer_count, state_count>();
        } else {
            Exact f;
            f.parameter_count = parameter_count, f.layer_count = layer_count, f.state_count = state_count;
            for (int i = 0; i < parameter_count; ++i) f.parameters.data[i] = Of::bounded.parameters[i];
            for (int i = 0; i < layer_count; ++i) f.layers.data[i] = Of::bounded.layers[i];
            for (int i = 0; i < state_count; ++i) f.states.data[i] = Of::bounded.states[i];
            f.costs = Of::bounded.costs, f.ids = Of::bounded.ids;
            f.fingerprint = Of::bounded.fingerprint;
            return f;
        }
    }
    static constexpr Exact records = fitted();
};

/// What an expression stands for: a network, or its first mistake.
template <auto expression>
consteval auto network_or_mistake() {
    using E = std::remove_cvref_t<decltype(expression)>;
    if constexpr (!is_source<First<E>>) {
        return Mistake<error_network_must_start_with_Input<first_layer_is<First<E>>>>{};
    } else if constexpr (!LossLayer<Last<E>>) {
        return Mistake<error_network_has_no_loss_layer<last_layer_is<Last<E>>>>{};
    } else if constexpr (!is_fine<TraceOf<expression>>) {
        return Mistake<MistakeOf<TraceOf<expression>>>{};
    } else {
        constexpr auto& found = TracedNetwork<NetworkOf<expression>>::bounded;
        constexpr Shape first = found.conflict.first, second = found.conflict.second;
        if constexpr (found.too_long > 0)
            return Mistake<error_name_is_longer_than_63_characters<characters_given<found.too_long>>>{};
        else if constexpr (found.conflict.found)
            return Mistake<error_shared_layers_have_different_parameters<
                typename Spelled<first, first.rank>::type, typename Spelled<second, second.rank>::type>>{};
        else if constexpr (found.twice.size > 0)
            return Mistake<error_two_layers_or_costs_have_the_name<typename SpelledText<found.twice>::type>>{};
        else if constexpr (found.activated >= 0)
            return Mistake<error_loss_applies_the_activation_before_it_itself<
                loss_is<typename NetworkOf<expression>::template Cost<found.activated>::Loss>>>{};
        else return std::type_identity<NetworkOf<expression>>{};
    }
}

}  // namespace detail

/// A network from its expression, `struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE()> {};`, always under a
/// name of its own: errors, symbols and debuggers then say `Digits`. A wrong expression does not compile: it stands for
/// a type that is declared only and whose name says what is wrong.
template <auto expression>
using Network = typename detail::TypeOrMistake<decltype(detail::network_or_mistake<expression>())>::type;

template <class N>
concept AnyNetwork = requires {
    { N::input } -> std::convertible_to<Shape>;
    { N::target } -> std::convertible_to<Shape>;
    typename N::Loss;
};

namespace detail {

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
            {of.states.data, of.state_count},
            of.fingerprint};
}

/// The network as data.
template <AnyNetwork N>
inline constexpr NetworkTable network_table = detail::make_network_table<N>();

/// Does a prediction go on from the one before?
template <AnyNetwork N>
inline constexpr bool remembers = NetworkRecords<N>::state_count > 0;

}  // namespace detail

}  // namespace sigma
