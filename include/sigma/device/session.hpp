// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <vector>

namespace sigma {

namespace on_cpu {
class ThreadPool;
template <class T>
class Executor;
template <class T>
class OtherProducts;
}  // namespace on_cpu

namespace detail {

struct Program;

/// Which tensors of a kind a plan writes.
std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where);

/// A program and what it is bound to, run on any device: where its parameters are, or where it is told; else on the
/// processor. Arguments and results are dense and must stay alive; on another device they are brought over and back,
/// unless they are said to be `there`, in its memory. Parameters and states stay there.
template <class T>
class Session {
public:
    /// `operations`, which the debug device runs, outlive it, as the program does.
    explicit Session(const CompiledProgram<T>& program, const Program* operations = nullptr);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void bind_input(int i, const T* data, bool there = false);
    void bind_output(int i, T* data, bool there = false);
    /// The parameters, which say where to run, and the states of an optimizer.
    void bind_parameters(DualBuffer<T>& memory);
    void bind_states(DualBuffer<T>& memory);
    /// Where to run unless the parameters are elsewhere; null: on the processor.
    void run_on(const SharedOwner<ComputeDevice>& device) { device_ = device; }

    /// On the processor products by parameters are computed by these, which outlive it; null: by its kernels.
    void compute_by(const on_cpu::OtherProducts<T>* others);
    /// Does the program read this parameter beside what they compute?
    bool reads(int parameter, const on_cpu::OtherProducts<T>& others) const;

    RandomKey random{};

    /// Number of records of the next steps; 1 where nothing is batched.
    void prepare(std::ptrdiff_t records);
    std::ptrdiff_t records() const { return records_; }
    std::size_t arena_bytes() const;
    const PlanView& plan() const;
    /// Where it runs; null: on the processor.
    const SharedOwner<ComputeDevice>& place() const {
        return parameters_ && parameters_->compute_device() ? parameters_->compute_device() : device_;
    }

    /// On the processor with the threads of a pool, where one is given; the same bits, however many they are.
    void run(on_cpu::ThreadPool* pool = nullptr);
    /// The same for the first records of those prepared, where a device has no room for all; returns how many.
    std::ptrdiff_t run_some(on_cpu::ThreadPool* pool = nullptr);
    /// So many records, by this thread, of a program without states whose parameters have never left the processor.
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
    std::vector<bool> inputs_there_, outputs_there_;  ///< by number; of those that are not named: false
    std::ptrdiff_t records_ = 0;

    [[gnu::cold]] std::ptrdiff_t run_there(bool all);
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/session.ipp>
#endif
