// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/device/random_key.hpp>

#include <cstddef>

namespace sigma {

namespace on_cpu {
class ThreadPool;
template <class T>
class Executor;
}  // namespace on_cpu

namespace detail {

template <class T>
class Offload;

/// Runs a plan where the tensors of a model are: on the processor, or on the accelerator that works on them now.
/// Arguments and results are in the host's memory, dense, and must stay alive.
template <class T>
class Executor {
public:
    explicit Executor(const CompiledProgram<T>& program);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    void bind_input(int i, const T* data);
    /// Inputs of the next run are in the memory of the accelerator that works on the parameters.
    void inputs_are_there(bool there) { inputs_there_ = there; }
    void bind_output(int i, T* data);
    /// The parameters, which say where to run, and the states of an optimizer.
    void bind_parameters(DualBuffer<T>& memory);
    void bind_states(DualBuffer<T>& memory);

    RandomKey random{};

    /// Number of records of the next steps; 1 where nothing is batched.
    void prepare(std::ptrdiff_t records);
    std::ptrdiff_t records() const { return records_; }
    std::size_t arena_bytes() const;
    const PlanView& plan() const;

    /// On the processor with the threads of a pool, where one is given; the same bits, however many they are.
    void run(on_cpu::ThreadPool* pool = nullptr);
    /// The same for the first records of those prepared, where an accelerator has no room for all; returns how many.
    std::ptrdiff_t run_some(on_cpu::ThreadPool* pool = nullptr);

private:
    detail::Owned<on_cpu::Executor<T>> cpu_;
    DualBuffer<T>* parameters_ = nullptr;
    DualBuffer<T>* states_ = nullptr;
    detail::Owned<detail::Offload<T>> offload_;
    std::ptrdiff_t records_ = 0;
    bool inputs_there_ = false;

    ComputeDevice* compute_device() const { return parameters_ ? parameters_->compute_device().get() : nullptr; }
    [[gnu::cold]] std::ptrdiff_t run_there(bool all);
};

}  // namespace detail

}  // namespace sigma

#ifdef SIGMA_COMPILED
namespace sigma::detail {
extern template class Executor<float>;
extern template class Executor<double>;
}  // namespace sigma::detail
#else
#include <sigma/device/impl/executor.ipp>
#endif
