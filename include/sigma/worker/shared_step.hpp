// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>
#include <sigma/worker/step.hpp>

/// A training step in two programs, between which several devices, each with a part of the batch, add what they found.
namespace sigma::detail {

/// Is this cost a sum over the batch, to which parts of the batch contribute as they are, and not a mean?
template <class Cost>
constexpr bool is_total() {
    using Self = typename Cost::Self;
    if constexpr (requires { Self{}().options.reduction; })
        return Self{}().options.reduction == Reduction::total;
    else
        return false;
}

/// inputs, targets and two weights, the share of the batch's records that these are, for means, and another for sums (1
/// where the parts make up the batch) → weighted loss and, of several, its parts; the gradient of it in each parameter
/// that is trained; share · what each statistic becomes. Added over all parts they are those of the batch. Assigns
/// nothing.
template <class N>
struct ShareProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, true);
        const Losses losses = trace_losses<N>(p, trace);
        const Variable share = input<Shape{}>(p, N::input_count + N::cost_count).variable;
        const Variable weight_of_sums = input<Shape{}>(p, N::input_count + N::cost_count + 1).variable;
        List<Variable> parameters;
        for (const ParameterRecord& r : trace.context.parameters)
            if (r.trained) parameters.push({&p.tape, r.variable});
        List<Variable> parts;
        for_each_number<N::cost_count>([&](auto i) {
            parts.push((is_total<typename N::template Cost<i>>() ? weight_of_sums : share) * losses.parts[i]);
        });
        const Variable total = total_of<N>(p, parts);
        add_output(p, total);
        add_parts<N>(p, parts);
        for (const Variable& g : differentiate(total, constant(&p.tape, 1), parameters)) add_output(p, g);
        for (const StatisticUpdate& u : trace.context.updates)
            add_output(p, share * expand({&p.tape, u.value}, p.tape[u.target].shape));
        return p;
    }
};
/// How many of its outputs are losses.
template <class N>
inline constexpr int losses_of_share = N::cost_count == 1 ? 1 : 1 + N::cost_count;

/// Which statistics a step changes, by their numbers among the parameters, in the order of ShareProgram's outputs.
template <class N>
constexpr List<int> changed_statistics() {
    Program p;
    const auto trace = trace_network<N>(p, true);
    List<int> numbers;
    for (const StatisticUpdate& u : trace.context.updates) numbers.push(static_cast<int>(p.tape[u.target].attribute));
    return numbers;
}

/// The optimizer's scalars, then the gradients and statistics of ShareProgram, added up → parameters, statistics and
/// states move one step, as in TrainingProgram.
template <class N, class O>
struct UpdateProgram {
    constexpr Program operator()() const {
        Program p;
        int number = 0;
        const auto next_input = [&](const Shape& shape) {
            return Variable{&p.tape, p.tape.leaf(Operation::input, shape, static_cast<std::uint64_t>(number++))};
        };
        const auto parameter_of = [&](int i) {
            return Variable{&p.tape, p.tape.leaf(Operation::parameter, NetworkRecords<N>::records.parameters[i].shape,
                                                 static_cast<std::uint64_t>(i))};
        };
        List<Variable> scalars, parameters, raw;
        List<int> numbers;
        for (int i = 0; i < scalar_count<O>; ++i) scalars.push(next_input(Shape{}));
        for (int i = 0; i < NetworkRecords<N>::parameter_count; ++i) {
            if (!NetworkRecords<N>::records.parameters[i].trained) continue;
            parameters.push(parameter_of(i));
            numbers.push(i);
            raw.push(next_input(NetworkRecords<N>::records.parameters[i].shape));
        }
        Update update(p, scalars);
        add_updates<O>(update, parameters, numbers, raw);
        for (int i : changed_statistics<N>()) {
            const Variable statistic = parameter_of(i);
            update.assign(statistic, next_input(statistic.shape()));
        }
        return p;
    }
};

}  // namespace sigma::detail
