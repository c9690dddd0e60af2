// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/fingerprint.hpp>
#include <sigma/network/trace.hpp>
#include <sigma/tape/program.hpp>

#include <utility>

// The facts that a trace of an expression finds, at compile time or at run time.
namespace sigma::detail {

/// The names of the leaves that a trace records as parameters.
struct LeafNames {
    const List<ParameterRecord>& parameters;
    const List<CarriedState>& states;
    const List<HyperparameterRecord>& hyperparameters;

    struct Named {
        Text name;
    };
    constexpr Named operator[](int i) const {
        if (i >= Context::later_hyperparameters) return {hyperparameters[i - Context::later_hyperparameters].name};
        return {i < Context::recorded_states ? parameters[i].name : states[i - Context::recorded_states].name};
    }
};

struct NetworkFacts {
    Refusal refusal{};  ///< The first mistake. After a mistake the other members are empty.
    SizeNames sizes{};
    List<ParameterRecord> parameters{};
    List<LayerRecord> layers{};
    List<LayerOutput> outputs{};
    List<CarriedState> states{};
    List<int> results{};  ///< Variables that leave the trace, one for each cost.
    List<CostRecord> costs{};
    List<HyperparameterRecord> hyperparameters{};
    List<Shape> inputs{};
    List<IdInput> ids{};
    std::uint64_t fingerprint = 0;  ///< Fingerprint of the prediction, up to the losses.
    Tape tape{};
};

/// Returns the value on the tape that weighs parts of a data set in this loss: the divisor of its sum or, if there is
/// no divisor, the number of targets that are not ignored. Returns -1 if all records count alike.
constexpr int counted_by(const auto& loss, Tensor z, Tensor y, Tensor value) {
    if (loss.is_total()) return -1;
    const int divisor = divisor_of_loss(*value.variable.tape, value.variable.id);
    if (divisor >= 0 || !loss.ignored().exists) return divisor;
    return loss.answers(z, y).variable.id;
}

/// Returns a name that the expression gives to two layers, or to two costs, or an empty text.
constexpr Text name_given_twice(const List<LayerRecord>& layers, const List<LossRecord>& losses) {
    for (int i = 0; i < layers.size(); ++i)
        for (int k = 0; k < i && layers[i].named; ++k)
            if (layers[k].name == layers[i].name) return layers[i].name;
    for (int i = 0; i < losses.size(); ++i)
        for (int k = 0; k < i && losses[i].named_alone; ++k)
            if (losses[k].named_alone && losses[k].name == losses[i].name) return losses[i].name;
    return {};
}
/// Finds the inputs that an embedding reads directly as row numbers.
constexpr void find_ids(NetworkFacts& f) {
    const Tape& tape = f.tape;
    for (int layer = 0; layer < f.layers.size(); ++layer) {
        if (f.layers[layer].kind.view() != "embedding") continue;
        for (int i = f.layers[layer].first_node; i < f.layers[layer].end_node; ++i) {
            if (tape[i].operation != Operation::gather) continue;
            const int from = behind_views(tape, tape[i].b);
            if (tape[from].operation != Operation::input) continue;
            IdInput& of = f.ids[static_cast<int>(tape[from].attribute)];
            const int rows = tape[tape[i].a].shape[0];
            if (of.rows == 0 || rows < of.rows) of = {rows, layer};
        }
    }
}
/// Names the costs. Costs without a name are numbered after the layers. A name around several costs names none of them.
constexpr void name_costs(NetworkFacts& f, const List<LossRecord>& losses) {
    for (int i = 0; i < losses.size(); ++i) {
        int alike = 0;
        for (const LossRecord& l : losses) alike += l.named && l.name == losses[i].name;
        CostRecord& of = f.costs[i];
        of.named = losses[i].named && alike == 1;
        if (!of.named) of.name.append(f.layers.size() + i).append("-");
        of.name.append(losses[i].name.view());
        of.loss_weight = losses[i].loss_weight;
    }
    for (HyperparameterRecord& h : f.hyperparameters) {
        if (h.cost < 0) continue;
        Text full = f.costs[h.cost].name;
        h.name = full.append(".").append(h.name.view());
    }
}

/// Returns the current weight of a cost.
constexpr Variable loss_weight_of(Context& context, int cost) {
    context.cost = cost;
    const double weight = context.losses[cost].loss_weight;
    const int v = context.add_hyperparameter("loss_weight", weight, NumberRange::finite_from_0());
    context.cost = -1;
    return {context.tape, v};
}

/// Traces an expression. `values` replace named sizes, to find out what depends on them.
template <class E>
constexpr NetworkFacts network_facts(const E& expression, const ListView<SizeValue>& values = {}) {
    NetworkFacts f;
    {
        Context context(f.tape, false, true);  // each layer's output gets a node of its own, for find_edges
        context.values = values, context.tries_sizes = values.size() > 0;
        Flow flow;
        trace(expression, context, flow);
        if (!context.failed() && context.inputs.empty()) context.refuse(error_network_must_start_with_Input);
        if (!context.failed() && flow.size() > 0) context.refuse(error_network_has_no_loss_layer);
        const auto nowhere = [&] { context.layer = -1, context.kind = nullptr, context.place = nullptr; };
        if (!context.failed()) {
            nowhere();
            if (context.too_long > 0)
                context.refuse(error_name_is_longer_than_63_characters, {characters_of_the_name, context.too_long});
            if (context.conflict.found)
                context.refuse(error_shared_layers_have_different_parameters, {first_is, context.conflict.first},
                               {second_is, context.conflict.second});
            if (const Text twice = name_given_twice(context.layers, context.losses); twice.size > 0)
                context.refuse(error_two_layers_or_costs_have_the_name, {name_is, twice});
        }
        if (!context.failed()) {
            f.parameters = std::move(context.parameters);
            f.layers = std::move(context.layers);
            f.outputs = std::move(context.outputs);
            f.states = std::move(context.carried);
            for (const Variable& x : context.inputs) f.inputs.push(x.shape());
            for (const Variable& z : context.results) f.results.push(z.id);
            f.ids = List<IdInput>(f.inputs.size(), IdInput{});
            find_ids(f);
            const LeafNames names{f.parameters, f.states, context.hyperparameters};
            ProgramFingerprint<LeafNames> fingerprint(f.tape, names);
            for (const int result : f.results) fingerprint.result(result);
            f.fingerprint = fingerprint.value();
            each_loss(expression, [&](const auto& loss) {
                const int i = f.costs.push({});
                CostRecord& of = f.costs[i];
                const Shape output = f.tape[f.results[i]].shape;
                loss.describe(of, output);
                of.range = range_of(f.tape, f.results[i]);
                context.kind = &loss.kind(), context.layer = f.layers.size() + i;
                const int z = f.tape.leaf(Operation::input, output);
                const Tensor predicted = loss.predict(Tensor{{&f.tape, z}});
                of.prediction = predicted.shape();
                context.cost = i;
                const Tensor y{{&f.tape, f.tape.leaf(Operation::input, of.target)}};
                const Tensor l = loss.examine(context, Tensor{{&f.tape, z}}, y);
                of.counts = !context.failed() && counted_by(loss, Tensor{{&f.tape, z}}, y, l) >= 0;
                context.cost = -1;
                // The prediction is f(z), and z is itself f of a value.
                if (behind_views(f.tape, predicted.variable.id) != z &&
                    SameFunction(f.tape, z)(predicted.variable.id, f.results[i]))
                    context.refuse(error_loss_applies_the_activation_before_it_itself);
            });
            for (int i = 0; i < context.losses.size(); ++i)
                if (context.losses[i].weighed) loss_weight_of(context, i);
            f.hyperparameters = std::move(context.hyperparameters);
            name_costs(f, context.losses);
        }
        f.refusal = context.refusal;
        f.sizes = context.sizes;
    }
    return f;
}

}  // namespace sigma::detail
