// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/step_core.hpp>

namespace sigma::detail {

template <class T>
StepCore<T>::StepCore(ModelStore<T>& model, const CompiledProgram<T>& program, ListView<StateRecord> states,
                      int scalars)
    : program_(program), states_(states), lanes_(model.lanes()), memory_(memory_offsets(states, model.lanes())),
      session_(program, model), scalars_(static_cast<std::size_t>(scalars)) {
    const int inputs = model.network().inputs.size(), costs = model.network().costs.size();
    session_.random.seed = model.seed();
    session_.bind_states(memory_);
    for (int i = 0; i < scalars; ++i) session_.bind_input(inputs + costs + i, &scalars_[static_cast<std::size_t>(i)]);
    session_.bind_output(0, &loss_);
    if (costs == 1) return;
    parts_.resize(static_cast<std::size_t>(costs));
    for (int i = 0; i < costs; ++i) session_.bind_output(1 + i, &parts_[static_cast<std::size_t>(i)]);
}
template <class T>
StepCore<T>::~StepCore() = default;

template <class T>
double StepCore<T>::run(const double* scalars, std::uint64_t number, Rows<T> inputs, Rows<T> targets,
                        std::ptrdiff_t count, on_cpu::ThreadPool* pool) {
    for (T& scalar : scalars_) scalar = static_cast<T>(*scalars++);
    session_.bind_records(inputs, targets);
    session_.random.step = static_cast<std::uint32_t>(number);
    session_.prepare(count);
    session_.run(pool);
    return static_cast<double>(loss_);
}

template <class T>
double StepCore<T>::loss(int cost) const {
    check_position(cost, parts_.empty() ? 1 : static_cast<int>(parts_.size()), "cost");
    return static_cast<double>(parts_.empty() ? loss_ : parts_[static_cast<std::size_t>(cost)]);
}

template <class T>
ArrayView<T> StepCore<T>::state(int i) {
    check_position(i, states_.size(), "optimizer state");
    return window(state_data(i), states_[i].shape, pitch(i));
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::StepCore<float>;
template class sigma::detail::StepCore<double>;
#endif
