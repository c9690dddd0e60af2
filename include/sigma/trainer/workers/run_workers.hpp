// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/workers/worker_status.hpp>

#include <cstdint>
#include <vector>

namespace sigma::detail {

/// The workers of a run, as its trainer uses them on the training thread. A run without workers compiles none.
template <class T>
class RunWorkers {
public:
    /// Returns whether the workers have separate states of the optimizer.
    virtual bool keep_states() const = 0;
    /// Sets the separate states of the workers, if `from` is of equally many workers.
    virtual void take_states(const WorkerStates<T>& from) = 0;
    /// Copies the separate states of the workers.
    virtual void copy_states(std::vector<std::vector<T>>& to) = 0;
    /// Waits for the workers that take the step of this batch, and executes the requests of their hooks.
    virtual void meet(std::uint64_t batch) = 0;
    /// Ends the epoch in each worker, before they are merged.
    virtual void end_epoch(std::uint64_t epoch) = 0;
    /// Sets whether steps are repeated, so that hooks do not fire.
    virtual void repeats(bool yes) = 0;
    /// Calls a function for each worker of this process.
    virtual void for_each(const AnyFunction<void(TrainerView&)>& f) = 0;
    /// Returns a registered reading of each worker.
    virtual std::vector<double> read(int reading) = 0;
    /// Calls a function with the status of each worker. Does not wait for workers; other processes answer between two
    /// steps.
    virtual void visit(const AnyFunction<void(const WorkerStatus&)>& f) = 0;
    /// Returns whether another process leads the run.
    virtual bool follows() const = 0;

protected:
    ~RunWorkers() = default;
};

}  // namespace sigma::detail
