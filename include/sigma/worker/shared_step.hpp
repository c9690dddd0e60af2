// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/worker/step.hpp>

/// A training step in two programs, between which several devices, each with a part of the batch, add what they found.
namespace sigma::detail {

/// Which statistics a step changes, by their numbers among the parameters, in the order of the outputs of a share.
template <class N>
constexpr List<int> changed_statistics() {
    Program p;
    const auto trace = trace_network<N>(p, true);
    List<int> numbers;
    for (const StatisticUpdate& u : trace.context.updates) numbers.push(static_cast<int>(p.tape[u.target].attribute));
    return numbers;
}

/// The optimizer's scalars, then gradients and statistics of the shares, added up → parameters, statistics and
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
        List<Variable> scalars, raw;
        ChosenParameters moved;
        for (int i = 0; i < scalar_count<O>; ++i) scalars.push(next_input(Shape{}));
        for (int i = 0; i < NetworkRecords<N>::parameter_count; ++i) {
            if (!NetworkRecords<N>::records.parameters[i].trained) continue;
            moved.variables.push(parameter_of(i));
            moved.numbers.push(i);
            raw.push(next_input(NetworkRecords<N>::records.parameters[i].shape));
        }
        Update update(p, scalars);
        add_updates<O>(update, moved, raw);
        for (int i : changed_statistics<N>()) {
            const Variable statistic = parameter_of(i);
            update.assign(statistic, next_input(statistic.shape()));
        }
        return p;
    }
};

}  // namespace sigma::detail
