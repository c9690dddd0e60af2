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
struct TrainerSeen;
template <class T>
class WorkerSteps;
/// The steps of a training where a run takes them: they are only asked for here, and what their losses were is fetched
/// when somebody wants to know.
template <class T>
class RunningSteps {
public:
    RunningSteps(BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step)
        : batches_(batches), model_(model), step_(step) {}

    /// From now on steps are taken there: by the processor with so many threads, by the debug device, which runs the
    /// operations of a step, by an accelerator or a group of them. Throws DeviceError.
    void enter(Cpu processor);
    void enter(const SharedOwner<DebugDevice>& device, const Program& operations);
    void enter(const SharedOwner<ComputeDevice>& device);
    void enter(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans);
    /// By workers, who do what the modifiers say; the next step is that of `next`.
    void enter(const WorkerSet& workers, Modifiers<T>& modifiers, const TrainerSeen<T>& trainer,
               const BatchPosition& next, const AlikeMachines& machines);
    /// With other processes; see MachineSteps.
    void enter(const MachineSet& machines, const StepInParts& programs, const std::string& identity);
    SharedRun& of_machines();
    /// The processor has everything again. Throws DeviceError.
    void leave();
    /// After a device has failed: what it had is lost.
    void abandon();
    /// What is kept for the next run was made for other batches.
    void forget();
    bool active() const { return active_ != nullptr; }
    /// Is a step done when `step` returns?
    bool waits() const { return active_steps()->waits(); }
    /// See TrainingSteps.
    bool apart() const { return active_steps()->apart(); }
    std::uint64_t update_of(std::uint64_t number) { return active_steps()->update_of(number); }
    void merge() {
        if (active()) active_steps()->merge();
    }
    /// The workers of the run, if it is one by workers.
    WorkerSteps<T>* workers() const { return active() ? by_workers_.get() : nullptr; }
    /// The processor's threads, where there are several.
    on_cpu::ThreadPool* pool() const;

    /// Asks for the step of this number on a batch; returns how many records it has. Throws DeviceError.
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch);
    /// The records of the last step are gathered here where that has not been done; how many they are.
    std::optional<std::ptrdiff_t> gather_late();
    void gathered_here() { late_ = false; }

    /// From now on losses are added to these: Σ loss · records, and records. The position may have changed.
    void set_losses(double total, std::uint64_t records);
    void halt();
    /// Waits for all steps and says what is new of their losses. Nothing on another thread than the run's: the next
    /// step is told that somebody `wanted` it.
    std::optional<LossAccumulator> fetch();
    bool wanted();
    /// The loss of the last step fetched, and that of one cost, without its weight.
    double loss() const;
    double loss(int cost) const;

private:
    BatchLoader<T>& batches_;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    SharedOwner<CpuDevice> processor_;
    SharedOwner<DeviceStep<T>> on_processor_, elsewhere_, checked_;  ///< kept for the next run, but for `checked_`
    SharedOwner<WorkerSteps<T>> by_workers_;
    SharedOwner<MachineSteps<T>> by_machines_;
    Signal<TrainingSteps<T>*> active_;
    Relaxed<const void*> thread_;  ///< of the run
    Relaxed<bool> wanted_;
    BatchPosition last_{};  ///< of the last step
    bool late_ = false;     ///< its records are not in the buffers

    TrainingSteps<T>* active_steps() const { return active_; }
    template <class Where, class... Program>
    void enter_elsewhere(const SharedOwner<Where>& where, const Program&... program);
    void activate(TrainingSteps<T>& steps);
    /// The processor has parameters and states.
    void bring_back();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/running_steps.ipp>
#endif
