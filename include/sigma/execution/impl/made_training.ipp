// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/execution/made_training.hpp>
#include <sigma/network/dynamic_network.hpp>

#include <optional>

namespace sigma::detail {

/// The programs, each planned at its first use.
template <class T>
struct MadeTraining<T>::Made {
    List<StateRecord> states;
    List<int> statistics;
    std::optional<MadeProgram<T>> step{}, update{}, batch[3]{};
};

template <class T>
MadeTraining<T>::MadeTraining(const MadeTables& network, const UpdateRule& rule, int lanes)
    : network_(network), rule_(rule), lanes_(lanes),
      made_(new Made{optimizer_states(rule, network.table().parameters), changed_statistics(network.layers())}) {
    check_judged(network.table());
}
template <class T>
MadeTraining<T>::~MadeTraining() = default;

template <class T>
const CompiledProgram<T>& MadeTraining<T>::step() {
    if (!made_->step) made_->step.emplace(operations(), lanes_);
    return made_->step->compiled();
}
template <class T>
const CompiledProgram<T>& MadeTraining<T>::update() {
    if (!made_->update) made_->update.emplace(traced_update(), lanes_);
    return made_->update->compiled();
}
template <class T>
Program MadeTraining<T>::traced_update() const {
    Program p;
    trace_update(p, network_.layers(), rule_, network_.table().parameters);
    return p;
}
template <class T>
const CompiledProgram<T>& MadeTraining<T>::program(BatchPurpose purpose) {
    auto& made = made_->batch[static_cast<int>(purpose)];
    if (!made) {
        Program p;
        trace_batch_program(p, network_.layers(), purpose, network_.table().inputs.size(),
                            network_.table().costs.size());
        made.emplace(p, lanes_);
    }
    return made->compiled();
}
template <class T>
ListView<int> MadeTraining<T>::statistics() const {
    return {made_->statistics.begin(), made_->statistics.size()};
}
template <class T>
ListView<StateRecord> MadeTraining<T>::state_table() const {
    return {made_->states.begin(), made_->states.size()};
}
template <class T>
Program MadeTraining<T>::operations() const {
    Program p;
    trace_training(p, network_.layers(), rule_, network_.table().inputs.size() + network_.table().costs.size());
    return p;
}
template <class T>
DataParallelPlans MadeTraining<T>::data_parallel() {
    return {network_.program<T>(to_find_local_gradients, lanes_).plan(), update().plan(),
            loss_outputs_of(network_.table().costs.size())};
}

template <class T>
StepInParts MadeTraining<T>::in_parts() const {
    StepInParts step;
    const int inputs = network_.table().inputs.size();
    trace_program(step.gradients, network_.layers(), to_find_step, inputs);
    trace_program(step.evaluation, network_.layers(), to_evaluate, inputs);
    trace_program(step.prediction, network_.layers(), to_predict, inputs);
    step.update = traced_update();
    step.losses = loss_outputs_of(network_.table().costs.size());
    return step;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::MadeTraining);
