// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/device_step.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sigma {
struct MachineSet;
struct WorkerSet;
}  // namespace sigma

namespace sigma::detail {
class CpuDevice;
class DebugDevice;
struct AlikeMachines;
class SharedRun;
template <class T>
class MachineSteps;
template <class T>
class Modifiers;
struct Program;
template <class T>
struct TrainerInterface;
template <class T>
class WorkerSteps;
/// The steps of a training on the device of a run. Steps are queued, and their losses are fetched when they are read.
template <class T>
class RunningSteps {
public:
    RunningSteps(BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step)
        : batches_(batches), model_(model), step_(step) {}

    // Each `enter` selects the device of further steps: the CPU, the debug device, which runs the operations of a step,
    // an accelerator, or a group of accelerators. They throw DeviceError.
    void enter(Cpu processor);
    void enter(const SharedOwner<DebugDevice>& device, const Program& operations);
    void enter(const SharedOwner<ComputeDevice>& device);
    void enter(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans);
    /// Selects workers, which apply the modifiers, too. `next` is the position of the next step.
    void enter(const WorkerSet& workers, Modifiers<T>& modifiers, const TrainerInterface<T>& trainer,
               const BatchPosition& next, const AlikeMachines& machines);
    /// Selects several processes, see MachineSteps.
    void enter(const MachineSet& machines, const StepInParts& programs, const std::string& identity);
    SharedRun& of_machines();
    /// Returns all memory to the CPU. Throws DeviceError.
    void leave();
    /// Leaves a device that has failed. Its memory is lost.
    void abandon();
    /// Removes the steps that are kept for later runs, which were made for other batches.
    void forget();
    bool active() const { return active_ != nullptr; }
    /// Returns whether `step` waits for the end of the step.
    bool waits() const { return active_steps()->waits(); }
    // See TrainingSteps.
    bool apart() const { return active_steps()->apart(); }
    std::uint64_t update_of(std::uint64_t number) { return active_steps()->update_of(number); }
    void merge() {
        if (active()) active_steps()->merge();
    }
    /// Returns the workers of the run, or null if the run has none.
    WorkerSteps<T>* workers() const { return active() ? by_workers_.get() : nullptr; }
    /// Returns the threads of the CPU, or null if there is only one.
    on_cpu::ThreadPool* pool() const;

    /// Queues the step of this number on a batch. Returns its number of records. Throws DeviceError.
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch);
    /// Gathers the records of the last step on the host unless they are there. Returns how many there are.
    std::optional<std::ptrdiff_t> gather_late();
    void gathered_here() { late_ = false; }

    /// Sets the sums of losses that further steps add to: Σ loss · records, and records. The position may have changed.
    void set_losses(double total, std::uint64_t records);
    void halt();
    /// Waits for all steps and returns their new losses. On another thread than the run's it returns nothing, and
    /// `wanted` returns true before the next step.
    std::optional<LossAccumulator> fetch();
    bool wanted();
    /// Returns the loss of the last step that was fetched.
    double loss() const;
    /// Returns the loss of one cost in that step, without its weight.
    double loss(int cost) const;

private:
    BatchLoader<T>& batches_;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    SharedOwner<CpuDevice> processor_;
    SharedOwner<DeviceStep<T>> on_processor_, elsewhere_, checked_;  ///< kept for the next run, except `checked_`
    SharedOwner<WorkerSteps<T>> by_workers_;
    SharedOwner<MachineSteps<T>> by_machines_;
    Signal<TrainingSteps<T>*> active_;
    Relaxed<const void*> thread_;  ///< the training thread
    Relaxed<bool> wanted_;
    BatchPosition last_{};  ///< position of the last step
    bool late_ = false;     ///< the records of the last step are not in the buffers

    TrainingSteps<T>* active_steps() const { return active_; }
    template <class Where, class... Program>
    void enter_elsewhere(const SharedOwner<Where>& where, const Program&... program);
    void activate(TrainingSteps<T>& steps);
    /// Copies parameters and states to the CPU.
    void detach_buffers();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/running_steps.ipp>
#endif
