// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace sigma {

/// @cond internal
namespace on_cpu {
template <class T>
class OtherProducts;
}  // namespace on_cpu
/// @endcond

namespace detail {

struct Program;

/// Returns the tensors of a kind that a plan writes.
std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where);

/// A program with the tensors bound to it, on the accelerator that holds its parameters, or on the device set by
/// run_on. Arguments and results are dense and must outlive the session. They are copied to an accelerator and back,
/// unless they are `there`, in its memory. Parameters and states stay in its memory.
template <class T>
class Session {
public:
    /// Constructs a session on the calling thread. The source must outlive it.
    explicit Session(const ProgramSource& source);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void bind_input(int i, const T* data, bool there = false) {
        if (changes(inputs_, i, {const_cast<T*>(data), there})) bind(Buffer::Where::input, i, const_cast<T*>(data));
    }
    void bind_output(int i, T* data, bool there = false) {
        if (changes(outputs_, i, {data, there})) bind(Buffer::Where::output, i, data);
    }
    /// Sets the parameters. `member` selects a device of the group that holds them.
    void bind_parameters(DualBuffer<T>& memory, std::size_t member = 0);
    /// Sets the states of an optimizer.
    void bind_states(DualBuffer<T>& memory);
    /// Sets the counters that the random numbers depend on, in the memory of the device, in place of `random`. Call it
    /// before the first run.
    void bind_counters(const StepCounters* counters) { counters_ = counters; }
    /// Sets the device for parameters that no accelerator holds and, for the processor, the threads that share a run.
    void run_on(const SharedOwner<ComputeDevice>& device, const Cpu& threads = {}) {
        if (device_ != device || threads_ != threads) move(device, threads);
    }

    /// Sets the products by parameters that replace the kernels' own on the processor. They must outlive the session;
    /// null restores the kernels' own.
    void compute_by(const on_cpu::OtherProducts<T>* others) {
        if (others_ != others) replace_products(others);
    }
    /// Returns whether the program reads this parameter outside of those products.
    bool reads(int parameter, const on_cpu::OtherProducts<T>& others);

    RandomKey random{};

    /// Sets the number of records of the next steps; 1 if nothing is batched.
    void prepare(std::ptrdiff_t records) {
        if (records_ != records) prepare_changes(records);
    }
    std::size_t arena_bytes() const;
    const PlanView& plan() const { return source_.plan; }
    /// Returns the device of the next run.
    const SharedOwner<ComputeDevice>& device() const {
        return parameters_ && parameters_->compute_device() ? parameters_->device_of(member_) : device_;
    }
    /// Returns whether the next run computes in the memory of an accelerator.
    bool is_there() const { return device_is_there_ || (parameters_ && parameters_->compute_device()); }

    /// Runs the program and waits for its results. Returns the number of records: of the prepared ones all or, unless
    /// `all`, the first that a device has memory for.
    std::ptrdiff_t run(bool all = true);

    /// Returns the program on its device. The first call makes it.
    DeviceProgram& program();
    /// Returns the program, prepared for so many records, for a caller that runs it without waiting. All arguments,
    /// results and counters are in the memory of the device, and the caller keeps parameters and states up to date.
    DeviceProgram& ready(std::ptrdiff_t records);

private:
    /// An argument or a result.
    struct Bound {
        T* data = nullptr;
        bool there = false;
        friend bool operator==(const Bound&, const Bound&) = default;
    };
    struct Here;
    struct There;
    const ProgramSource source_;
    std::vector<Bound> inputs_, outputs_;
    DualBuffer<T>* parameters_ = nullptr;
    DualBuffer<T>* states_ = nullptr;
    std::size_t member_ = 0;
    const StepCounters* counters_ = nullptr;
    SharedOwner<ComputeDevice> device_;
    bool device_is_there_ = false;
    Cpu threads_{};
    const on_cpu::OtherProducts<T>* others_ = nullptr;
    Owned<Here> here_;    ///< the program on a device in the host's memory
    Owned<There> there_;  ///< the program on an accelerator
    std::ptrdiff_t records_ = 0;

    // Small programs run so often that calls without a change must cost little.
    static bool changes(std::vector<Bound>& bound, int i, const Bound& to) {
        const auto number = static_cast<std::size_t>(i);
        return number < bound.size() && std::exchange(bound[number], to) != to;  // a program may not use all
    }
    void bind(Buffer::Where where, int i, T* data);
    void move(const SharedOwner<ComputeDevice>& device, const Cpu& threads);
    void replace_products(const on_cpu::OtherProducts<T>* others);
    void prepare_changes(std::ptrdiff_t records);
    Here& here();
    There& there();
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/session.ipp>
#endif
