// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/optimizer/update.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::detail {

/// A training step where network and optimizer only matter as data. Holds the optimizer's states.
template <class T>
class StepCore {
public:
    /// The program's inputs are those of the network, the targets, and then so many scalars.
    StepCore(ModelStore<T>& model, const CompiledProgram<T>& program, ListView<StateRecord> states, int scalars);
    StepCore(const StepCore&) = delete;
    StepCore& operator=(const StepCore&) = delete;
    ~StepCore();

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1; `scalars` are those of the optimizer in that step.
    double run(const double* scalars, std::uint64_t number, Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count,
               on_cpu::ThreadPool* pool = nullptr);
    /// The loss of one cost in the last `run`, without its weight. (A trainer's steps are its device's.)
    double loss(int cost) const;

    /// Elements from one row of a state to the next.
    int pitch(int i) const { return row_pitch(states_[i].shape, lanes_); }
    /// State `i` of the optimizer as a writable window.
    ArrayView<T> state(int i);
    ParameterRows<T> state_rows(int i) { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ParameterRows<const T> state_rows(int i) const { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ListView<StateRecord> state_table() const { return states_; }
    T* state_data(int i) { return memory_.write(i); }
    const T* state_data(int i) const { return memory_.read(i); }
    std::span<T> state_memory() { return memory_.write_all(); }
    std::span<const T> state_memory() const { return memory_.read_all(); }
    /// Where the states are.
    DualBuffer<T>& dual_buffer() { return memory_; }

    /// The seed of dropout and its like in further steps.
    void set_seed(std::uint64_t seed) { session_.random.seed = seed; }
    std::uint64_t seed() const { return session_.random.seed; }
    std::size_t arena_bytes() const { return session_.arena_bytes(); }
    /// The program of a step; inputs are those of the network, the targets, then the optimizer's scalars.
    const CompiledProgram<T>& program() const { return program_; }
    const PlanView& plan() const { return session_.plan(); }
    int scalar_count() const { return static_cast<int>(scalars_.size()); }

    bool averages_exchanged = false;  ///< with the parameters, of which they are the averages

private:
    const CompiledProgram<T>& program_;
    ListView<StateRecord> states_;
    int lanes_;
    DualBuffer<T> memory_;
    ModelSession<T> session_;
    std::vector<T> scalars_, parts_;  ///< parts: the loss of each cost, where there are several
    T loss_ = 0;
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::StepCore<float>;
extern template class sigma::detail::StepCore<double>;
#else
#include <sigma/execution/impl/step_core.ipp>
#endif
