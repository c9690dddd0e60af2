// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/offload.hpp>

namespace sigma {

/// Runs a plan where the tensors of a model are: on the processor, or on the accelerator that works on them now. Arguments
/// and results are in the host's memory, dense, and must stay alive.
template <class P, class T>
class Executor {
public:
    void bind_input(int i, const T* data) { cpu_.bind_input(i, data); }
    /// Inputs of the next run are in the memory of the accelerator that works on the parameters.
    void inputs_are_there(bool there) { inputs_there_ = there; }
    void bind_output(int i, T* data) { cpu_.bind_output(i, data); }
    /// The parameters, which say where to run, and the states of an optimizer.
    void bind_parameters(Mirrored<T>& memory) {
        parameters_ = &memory;
        for (int i = 0; i < memory.count(); ++i) cpu_.bind_parameter(i, memory.place(i));
    }
    void bind_states(Mirrored<T>& memory) {
        states_ = &memory;
        for (int i = 0; i < memory.count(); ++i) cpu_.bind_state(i, memory.place(i));
    }

    simd::RandomKey random{};

    /// Number of records of the next steps; 1 where nothing is batched.
    void prepare(std::ptrdiff_t records) {
        records_ = records;
        if (!accelerator()) cpu_.prepare(records);
    }
    std::ptrdiff_t records() const { return records_; }
    std::size_t arena_bytes() const { return accelerator() && offload_ ? offload_->arena_bytes() : cpu_.arena_bytes(); }

    /// On the processor with the threads of a pool, where one is given; the same bits, however many they are.
    void run(simd::Pool* pool = nullptr) {
        if (accelerator()) return void(run_there(true));
        cpu_.random = random;
        if (cpu_.records() != records_) cpu_.prepare(records_);  // the accelerator has left meanwhile
        if (pool) cpu_.run(*pool);
        else cpu_.run();
    }
    /// The same for the first records of those prepared, where an accelerator has no room for all; returns how many.
    std::ptrdiff_t run_some() {
        if (accelerator()) return run_there(false);
        run();
        return records_;
    }

private:
    simd::Executor<P, T> cpu_;
    Mirrored<T>* parameters_ = nullptr;
    Mirrored<T>* states_ = nullptr;
    std::unique_ptr<detail::Offload<T>> offload_;
    std::ptrdiff_t records_ = 0;
    bool inputs_there_ = false;

    Accelerator* accelerator() const { return parameters_ ? parameters_->accelerator().get() : nullptr; }
    [[gnu::cold]] std::ptrdiff_t run_there(bool all) {
        if (!offload_ || offload_->device() != parameters_->accelerator())
            offload_ = std::make_unique<detail::Offload<T>>(parameters_->accelerator(), view_of<T>(P::plan));
        return offload_->run(records_, all, random, *parameters_, states_, inputs_there_,
                             [&](int buffer) { return cpu_.bound(buffer); });
    }
};

}  // namespace sigma
