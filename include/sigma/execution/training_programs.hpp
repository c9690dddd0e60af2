// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/update.hpp>

#include <concepts>

// The programs of training, as functions of an expression and of an optimizer's rule, which may be constants or not.
namespace sigma::detail {

/// Adds the updates of the moved parameters by their gradients, which are prepared all together.
constexpr void add_updates(Update& update, const auto& rule, const auto& parameters, const ChosenParameters& moved,
                           const List<Variable>& gradients) {
    update.moved = moved.numbers;
    Tape& tape = update.program.tape;
    tape.origin = {-1, StepPart::update, true};
    const List<Variable> ready = rule.prepare(update, gradients);
    for (int i = 0; i < moved.numbers.size(); ++i) {
        update.parameter = moved.numbers[i];
        update.parameter_name = parameters[update.parameter].name;
        tape.origin.layer = tape[moved.variables[i].id].origin.layer;
        rule.update(update, moved.variables[i], ready[i]);
    }
}

/// Traces a program: inputs, targets, the optimizer's scalars → mean loss and, with several costs, its parts.
/// Parameters and states move one step. The scalars begin with input `first_scalar`.
constexpr void trace_training(Program& p, const auto& expression, const auto& rule, int first_scalar) {
    Context context(p.tape, true);
    trace_network(expression, context);
    const Losses losses = trace_losses(p, expression, context);
    List<Variable> scalars;
    for (int i = 0; i < rule.scalars; ++i) scalars.push(input(p, Shape{}, first_scalar + i));
    const ChosenParameters trained = choose_parameters(p, context, GradientsIn::trained);
    ChosenParameters moved;
    for (int i = 0; i < trained.numbers.size(); ++i) {
        if (!rule.moves(context.parameters[trained.numbers[i]].name.view())) continue;
        moved.variables.push(trained.variables[i]);
        moved.numbers.push(trained.numbers[i]);
    }
    const List<Variable> raw = differentiate(losses.total, constant(&p.tape, 1), moved.variables);
    add_losses(p, losses);
    Update update(p, static_cast<List<Variable>&&>(scalars));
    add_updates(update, rule, context.parameters, moved, raw);
    for (const StatisticUpdate& u : context.updates) {
        p.tape.origin.layer = p.tape[u.target].origin.layer;
        update.assign({&p.tape, u.target}, {&p.tape, u.value});
    }
}

/// Traces a program: the optimizer's scalars, then local gradients and statistics, added up over the parts of a batch →
/// parameters, statistics and states move one step, as in a training program.
constexpr void trace_update(Program& p, const auto& expression, const auto& rule,
                            const ListView<ParameterRecord>& parameters) {
    int number = 0;
    const auto next_input = [&](const Shape& shape) {
        return Variable{&p.tape, p.tape.leaf(Operation::input, shape, static_cast<std::uint64_t>(number++))};
    };
    const auto parameter_of = [&](int i) {
        return Variable{&p.tape, p.tape.leaf(Operation::parameter, parameters[i].shape, static_cast<std::uint64_t>(i))};
    };
    List<Variable> scalars, raw;
    ChosenParameters moved;
    for (int i = 0; i < rule.scalars; ++i) scalars.push(next_input(Shape{}));
    for (int i = 0; i < parameters.size(); ++i) {
        const ParameterRecord& r = parameters[i];
        if (!r.trained) continue;
        const Variable gradient = next_input(r.shape);
        if (!rule.moves(r.name.view())) continue;
        moved.variables.push(parameter_of(i));
        moved.numbers.push(i);
        raw.push(gradient);
    }
    Update update(p, static_cast<List<Variable>&&>(scalars));
    add_updates(update, rule, parameters, moved, raw);
    for (int i : changed_statistics(expression)) {
        const Variable statistic = parameter_of(i);
        update.assign(statistic, next_input(statistic.shape()));
    }
}

/// Returns the states of an optimizer, which depend on the parameters alone.
constexpr List<StateRecord> optimizer_states(const auto& rule, const ListView<ParameterRecord>& parameters) {
    Program p;
    List<Variable> scalars;
    for (int i = 0; i < rule.scalars; ++i) scalars.push(input(p, Shape{}, i));
    ChosenParameters moved;
    List<Variable> gradients;
    for (int i = 0; i < parameters.size(); ++i) {
        const ParameterRecord& r = parameters[i];
        if (!r.trained || !rule.moves(r.name.view())) continue;
        moved.variables.push({&p.tape, p.tape.leaf(Operation::parameter, r.shape)});
        moved.numbers.push(i);
        gradients.push({&p.tape, p.tape.leaf(Operation::input, r.shape)});
    }
    Update update(p, static_cast<List<Variable>&&>(scalars));
    add_updates(update, rule, parameters, moved, gradients);
    return update.states;
}

/// The programs of a BatchTrainer, besides the update.
enum class BatchPurpose : char {
    training,  ///< inputs, targets, two weights as in weigh_losses, states → the losses without weights; weighted
               ///< gradients; statistics; states
    backward,  ///< inputs, gradients u of the predictions → gradients of Σ u·prediction, the sum over all costs
    input_gradients,  ///< inputs, targets → the gradient of the loss in each input
};
/// Adds the gradients of all trained parameters and the new statistics as outputs. A template, so that only programs
/// which are traced with it instantiate differentiation.
constexpr void add_training_outputs(Program& p, const Context& context, std::same_as<Variable> auto total) {
    const List<Variable> of = choose_parameters(p, context, GradientsIn::trained).variables;
    for (const Variable& g : differentiate(total, constant(&p.tape, 1), of)) add_output(p, g);
    for (const StatisticUpdate& u : context.updates) add_output(p, expand({&p.tape, u.value}, p.tape[u.target].shape));
}
constexpr void trace_batch_program(Program& p, const auto& expression, BatchPurpose purpose, int inputs, int costs) {
    Context context(p.tape, true);
    if (purpose == BatchPurpose::training) context.first_carried = inputs + costs + 2;
    trace_network(expression, context);
    if (purpose == BatchPurpose::backward) {
        Variable total = constant(&p.tape, 0);
        each_prediction(expression, context, [&](Tensor y, int i) {
            const Tensor u{input(p, y.shape(), inputs + i)};
            const Tensor product = u * y;
            total = total + sum(product).variable;
        });
        add_training_outputs(p, context, total);
        return;
    }
    Losses losses = trace_losses(p, expression, context);
    if (purpose == BatchPurpose::input_gradients) {
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), context.inputs)) add_output(p, g);
        return;
    }
    add_losses(p, losses);
    weigh_losses(p, expression, context, losses);
    add_training_outputs(p, context, losses.total);
    for (const CarriedState& s : context.carried) add_output(p, {&p.tape, s.last});
}

}  // namespace sigma::detail
