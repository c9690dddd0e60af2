// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/device_step.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sigma::detail {
/// The steps of a training on the device of a run. Steps are queued, and their losses are fetched when they are read.
template <class T>
class RunningSteps {
public:
    RunningSteps(BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step)
        : batches_(batches), model_(model), step_(step) {}

    /// Selects the device of further steps, and its threads if it is the CPU. The program is that of a step. Throws
    /// DeviceError.
    void enter(const SharedOwner<ComputeDevice>& device, const Cpu& threads, const ProgramSource& program);
    /// Selects a group of accelerators. Throws DeviceError.
    void enter(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans);
    /// Selects steps in the host's memory that `make` makes: those of workers or of several processes.
    void enter(const AnyFunction<SharedOwner<TrainingSteps<T>>(BatchLoader<T>&)>& make);
    /// Returns all memory to the CPU. Throws DeviceError.
    void leave();
    /// Leaves a device that has failed. Its memory is lost.
    void abandon();
    /// Removes the steps that are kept for later runs, which were made for other batches.
    void forget();
    /// Returns the steps of the run; null between two runs.
    TrainingSteps<T>* now() const { return active_; }

    /// Queues the step of this number on a batch. Returns its number of records. Throws DeviceError.
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch);
    /// Gathers the records of the last step on the host unless they are there. Returns how many there are.
    std::optional<std::ptrdiff_t> gather_late();
    void gathered_here() { late_ = false; }

    /// Sets the sums of losses that further steps add to: Σ loss · records, and records. The position may have changed.
    void set_losses(double total, std::uint64_t records);
    /// Waits for all steps and returns their new losses. On another thread than the run's it returns nothing, and
    /// `wanted` returns true before the next step.
    std::optional<LossAccumulator> fetch();
    bool wanted();

private:
    BatchLoader<T>& batches_;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    SharedOwner<DeviceStep<T>> here_, there_;  ///< steps in the host's memory and elsewhere, kept for the next run
    SharedOwner<TrainingSteps<T>> steps_;      ///< the steps of this run
    Signal<TrainingSteps<T>*> active_;
    Relaxed<const void*> thread_;  ///< the training thread
    Relaxed<bool> wanted_;
    BatchPosition last_{};  ///< position of the last step
    bool late_ = false;     ///< the records of the last step are not in the buffers

    void activate(SharedOwner<TrainingSteps<T>> steps);
    /// Copies parameters and states to the CPU.
    void detach_buffers();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/running_steps.ipp>
#endif
