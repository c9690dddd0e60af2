// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <vector>

namespace sigma {

/// @cond internal
namespace on_cpu {
class ThreadPool;
template <class T>
class Executor;
template <class T>
class OtherProducts;
}  // namespace on_cpu
/// @endcond

namespace detail {

struct Program;

/// Returns the tensors of a kind that a plan writes.
std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where);

/// A program and its tensors, which runs on any device: that of its parameters, or the one set by run_on, otherwise on
/// the processor. Arguments and results are dense and must outlive the session. They are copied to an accelerator and
/// back, unless they are `there`, in its memory. Parameters and states stay in its memory.
template <class T>
class Session {
public:
    /// Constructs a session. The program and the operations, which the debug device runs, must outlive it.
    explicit Session(const CompiledProgram<T>& program, const Program* operations = nullptr);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void bind_input(int i, const T* data, bool there = false);
    void bind_output(int i, T* data, bool there = false);
    /// Sets the parameters. The program runs on the device that they are attached to.
    void bind_parameters(DualBuffer<T>& memory);
    /// Sets the states of an optimizer.
    void bind_states(DualBuffer<T>& memory);
    /// Sets the device for parameters that are not attached to one; null for the processor.
    void run_on(const SharedOwner<ComputeDevice>& device) { device_ = device; }

    /// Sets the products by parameters that replace the kernels' own on the processor. They must outlive the session;
    /// null restores the kernels' own.
    void compute_by(const on_cpu::OtherProducts<T>* others);
    /// Returns whether the program reads this parameter outside of those products.
    bool reads(int parameter, const on_cpu::OtherProducts<T>& others) const;

    RandomKey random{};

    /// Sets the number of records of the next steps; 1 if nothing is batched.
    void prepare(std::ptrdiff_t records);
    std::ptrdiff_t records() const { return records_; }
    std::size_t arena_bytes() const;
    const PlanView& plan() const;
    /// Returns the accelerator on which the program runs; null for the processor.
    const SharedOwner<ComputeDevice>& place() const {
        return parameters_ && parameters_->compute_device() ? parameters_->compute_device() : device_;
    }

    /// Runs the program. The processor uses the threads of the pool, if any; the results are bit-identical for every
    /// number.
    void run(on_cpu::ThreadPool* pool = nullptr);
    /// Runs the program for the first of the prepared records, if a device has no memory for all. Returns their number.
    std::ptrdiff_t run_some(on_cpu::ThreadPool* pool = nullptr);
    /// Runs a number of records on this thread. The program must have no states, and its parameters must never have
    /// left the processor.
    void run_here(std::ptrdiff_t records);

private:
    struct There;
    const CompiledProgram<T>& program_;
    const Program* operations_;
    Owned<on_cpu::Executor<T>> cpu_;
    DualBuffer<T>* parameters_ = nullptr;
    DualBuffer<T>* states_ = nullptr;
    SharedOwner<ComputeDevice> device_;
    Owned<There> there_;
    std::vector<bool> inputs_there_, outputs_there_;  ///< flags by number; false by default
    std::ptrdiff_t records_ = 0;

    [[gnu::cold]] std::ptrdiff_t run_there(bool all);
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/session.ipp>
#endif
