// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/network.hpp>
#include <sigma/network/purpose.hpp>
#include <sigma/plan/static_plan.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

// The programs of a network without an optimizer, as functions of its expression. Each program has a plan of its own,
// so a prediction keeps no values for gradients.
namespace sigma::detail {

constexpr void trace_network(const auto& expression, Context& context) {
    Flow flow;
    trace(expression, context, flow);
    context.kind = nullptr;  // no mistake behind it is that of the last layer
}

/// The total loss, Σ weight · loss, and its parts.
struct Losses {
    Variable total{};
    List<Variable> parts{};
    List<Variable> right{};    ///< Optional: share of correct predictions of each cost.
    List<Variable> answers{};  ///< Number of targets that are not ignored, for each cost that ignores targets.
    List<Variable> counted{};  ///< Divisor of the loss, for each cost with a divisor that differs between batches.
};
/// Returns Σ weight · loss over all costs.
constexpr Variable total_of(Context& context, const List<Variable>& parts) {
    Variable total{};
    for (int i = 0; i < parts.size(); ++i) {
        const Variable weighted = context.losses[i].weighed ? loss_weight_of(context, i) * parts[i] : parts[i];
        total = i == 0 ? weighted : total + weighted;
    }
    return total;
}
/// Traces the losses of a traced network. Targets are the inputs behind those of the network.
constexpr Losses trace_losses(Program& p, const auto& expression, Context& context, bool count_right = false) {
    Losses losses;
    each_loss(expression, [&](const auto& loss) {
        const int i = losses.parts.size();
        const Tensor z{context.results[i]};
        const Tensor y{input(p, loss.target(z.shape()), context.inputs.size() + i)};
        context.cost = i;
        p.tape.origin.layer = static_cast<short>(context.layers.size() + i);
        losses.parts.push(loss.value(z, y).variable);
        context.cost = -1;
        if (!count_right) return;
        losses.right.push(loss.says_right() ? loss.right(z, y).variable : constant(&p.tape, 0));
        if (loss.says_right() && loss.ignored().exists) losses.answers.push(loss.answers(z, y).variable);
        const int counted = counted_by(loss, z, y, Tensor{losses.parts[i]});
        if (counted >= 0) losses.counted.push({&p.tape, counted});
    });
    losses.total = total_of(context, losses.parts);
    return losses;
}
/// Calls f(prediction, number) for each cost.
constexpr void each_prediction(const auto& expression, const Context& context, auto f) {
    int i = 0;
    each_loss(expression, [&](const auto& loss) {
        f(loss.predict(Tensor{context.results[i]}), i);
        ++i;
    });
}
/// Adds the total loss and, for several costs, each part to the outputs.
constexpr void add_losses(Program& p, const Losses& losses) {
    add_output(p, losses.total);
    if (losses.parts.size() > 1)
        for (const Variable& part : losses.parts) add_output(p, part);
}
/// Returns the number of outputs of add_losses.
constexpr int loss_outputs_of(int costs) { return costs == 1 ? 1 : 1 + costs; }
template <class N>
inline constexpr int loss_outputs = loss_outputs_of(N::cost_count);

/// Weighs the losses by two more inputs: the share of the batch's records for means, and a weight for sums (1 if the
/// parts make up the batch). Returns the share.
constexpr Variable weigh_losses(Program& p, const auto& expression, Context& context, Losses& losses) {
    const int number = context.inputs.size() + losses.parts.size();
    const Variable share = input(p, Shape{}, number), weight_of_sums = input(p, Shape{}, number + 1);
    int i = 0;
    each_loss(expression, [&](const auto& loss) {
        losses.parts[i] = (loss.is_total() ? weight_of_sums : share) * losses.parts[i];
        ++i;
    });
    losses.total = total_of(context, losses.parts);
    return share;
}

/// Some parameters, with their positions among all.
struct ChosenParameters {
    List<Variable> variables{};
    List<int> numbers{};
};
constexpr ChosenParameters choose_parameters(Program& p, const Context& context, GradientsIn which) {
    ChosenParameters chosen;
    for (int i = 0; i < context.parameters.size(); ++i) {
        const ParameterRecord& r = context.parameters[i];
        if (which != GradientsIn::all && !r.trained) continue;
        chosen.variables.push({&p.tape, r.variable});
        chosen.numbers.push(i);
    }
    return chosen;
}

/// Traces a program with the inputs and outputs of the purpose. `inputs` is the number of the network's inputs.
constexpr void trace_program(Program& p, const auto& expression, const Purpose& purpose, int inputs) {
    Context context(p.tape, purpose.training);
    context.first_carried = purpose.predictions ? inputs : -1;
    trace_network(expression, context);
    Losses losses;
    if (purpose.judges()) losses = trace_losses(p, expression, context, purpose.right);
    Variable share{};
    if (purpose.local) share = weigh_losses(p, expression, context, losses);
    if (purpose.losses) add_losses(p, losses);
    for (const Variable& right : losses.right) add_output(p, right);
    for (const Variable& answers : losses.answers) add_output(p, answers);
    for (const Variable& counted : losses.counted) add_output(p, counted);
    if (purpose.predictions) {
        each_prediction(expression, context, [&](Tensor prediction, int) { add_output(p, prediction.variable); });
        for (const CarriedState& s : context.carried) add_output(p, {&p.tape, s.last});
    }
    for (const int tapped : purpose.tapped)
        if (tapped >= 0) add_output(p, {&p.tape, context.layers[tapped].variable});
    if (purpose.layers)
        for (const LayerRecord& layer : context.layers) add_output(p, {&p.tape, layer.variable});
    if (purpose.gradients != GradientsIn::nothing) {
        const List<Variable> of = choose_parameters(p, context, purpose.gradients).variables;
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), of)) add_output(p, g);
    }
    if (purpose.local || purpose.statistics)
        for (const StatisticUpdate& u : context.updates) {
            const Variable value = expand({&p.tape, u.value}, p.tape[u.target].shape);
            add_output(p, purpose.local ? share * value : value);
        }
}
/// Returns the layers that the nodes of a network's programs belong to. The network comes first in all programs.
constexpr List<LayerRecord> traced_layers(const auto& expression, int inputs, bool training) {
    Program p;
    Context context(p.tape, training);
    context.first_carried = training ? -1 : inputs;
    trace_network(expression, context);
    return std::move(context.layers);
}
/// Returns the positions of the statistics that a step changes, in the order of the last outputs of local gradients.
constexpr List<int> changed_statistics(const auto& expression) {
    Program p;
    Context context(p.tape, true);
    trace_network(expression, context);
    List<int> numbers;
    for (const StatisticUpdate& u : context.updates) numbers.push(static_cast<int>(p.tape[u.target].attribute));
    return numbers;
}
/// Returns a fingerprint of the training: the network as in training, with its losses and all their options.
constexpr std::uint64_t training_fingerprint(const auto& expression) {
    Program p;
    Context context(p.tape, true);
    trace_network(expression, context);
    const Losses losses = trace_losses(p, expression, context);
    const LeafNames names{context.parameters, context.carried, context.hyperparameters};
    ProgramFingerprint f(p.tape, names);
    f.result(losses.total.id);
    for (const HyperparameterRecord& h : context.hyperparameters) f.fact(h.name.view(), h.value);
    for (const StatisticUpdate& u : context.updates) f.effect(u.target, u.value);
    for (const ParameterRecord& r : context.parameters)
        if (r.trained) f.fact(r.name.view());
    return f.value();
}
template <class N, Purpose purpose>
struct NetworkProgram {
    /// A training step has about three times as many nodes as its prediction. So both are fused, or neither.
    static constexpr int most_fused_nodes =
        sigma::detail::most_fused_nodes / (purpose.gradients == GradientsIn::nothing ? 3 : 1);

    constexpr Program operator()() const {
        static_assert(
            !purpose.judges() || may_judge<N>,
            "error_network_has_no_loss_layer: the network can only predict; add a loss to train or evaluate it");
        Program p;
        trace_program(p, N::expression, purpose, N::input_count);
        return p;
    }
};

}  // namespace sigma::detail
