// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/compute_group.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/optimizer/update.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::detail {

template <class T>
class RunWorkers;
class SharedRun;

/// The part of a training step that needs no types of network and optimizer. Holds the optimizer's states.
template <class T>
class StepCore {
public:
    /// Constructs a step. The inputs of the program are those of the network, the targets, and `scalars` scalars.
    StepCore(ModelStore<T>& model, const CompiledProgram<T>& program, ListView<StateRecord> states, int scalars);
    StepCore(const StepCore&) = delete;
    StepCore& operator=(const StepCore&) = delete;
    ~StepCore();

    /// Returns the number of elements from one row of a state to the next.
    int pitch(int i) const { return row_pitch(states_[i].shape, lanes_); }
    /// Returns state `i` of the optimizer as a writable array.
    ArrayView<T> state(int i);
    ParameterRows<T> state_rows(int i) { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ParameterRows<const T> state_rows(int i) const { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ListView<StateRecord> state_table() const { return states_; }
    T* state_data(int i) { return memory_.write(i); }
    const T* state_data(int i) const { return memory_.read(i); }
    std::span<T> state_memory() { return memory_.write_all(); }
    std::span<const T> state_memory() const { return memory_.read_all(); }
    /// Returns the memory of the states.
    DualBuffer<T>& dual_buffer() { return memory_; }

    /// Sets the seed of dropout and other random numbers in the next steps.
    void set_seed(std::uint64_t seed) { seed_ = seed; }
    std::uint64_t seed() const { return seed_; }
    /// Returns the program of a step. Its inputs are those of the network, the targets, then the optimizer's scalars.
    const CompiledProgram<T>& program() const { return program_; }
    PlanView plan() const { return program_.plan(); }
    int scalar_count() const { return scalars_; }

    /// The trained parameters, while the model has averages in their place (see with_averages); else empty.
    std::vector<T> parameters_aside{};
    Relaxed<bool> model_has_averages{false};  ///< read by other threads, too
    /// Exchanges the model's parameters with those kept aside.
    void exchange_with_aside(ModelStore<T>& model);

private:
    const CompiledProgram<T>& program_;
    ListView<StateRecord> states_;
    int lanes_, scalars_;
    std::uint64_t seed_;
    DualBuffer<T> memory_;
};

/// The plans of a data-parallel training step: see to_find_local_gradients and UpdateProgram.
struct DataParallelPlans {
    PlanView gradients, update;
    int losses = 1;  ///< number of losses, the first outputs of `gradients`
};

/// The programs of a training step in parts: all but the update (see to_find_step), the update, evaluation and
/// prediction.
struct StepInParts {
    Program gradients, update, evaluation, prediction;
    int losses = 1;  ///< number of losses, the first outputs of `gradients`
};

/// The steps of a training run, one after the other. Steps are queued without waiting. `fetch` waits and returns their
/// losses.
template <class T>
class TrainingSteps {
public:
    virtual ~TrainingSteps() = default;

    /// Returns whether a step is done when `step` returns.
    virtual bool waits() const = 0;
    /// Returns whether records are kept there, so that the host gathers none.
    virtual bool keeps_records() const = 0;
    /// Returns whether the steps change other parameters than the trainer's, as those of workers do.
    virtual bool apart() const { return false; }
    /// Called when the order of records may have changed.
    virtual void halt() = 0;
    /// Queues a step on a batch, with the optimizer's scalars. Returns the number of records of the batch.
    virtual std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                std::uint64_t batch) = 0;
    /// Returns the ordinal of the optimizer update that a step makes.
    virtual std::uint64_t update_of(std::uint64_t number) { return number; }
    /// Merges the networks into one, if there are several.
    virtual void merge() {}
    /// Returns the workers that take the steps, or null.
    virtual RunWorkers<T>* workers() { return nullptr; }
    /// Returns the run of this and other processes, or null if there are no others.
    virtual SharedRun* shared_run() { return nullptr; }

    /// Sets the sums to which the next losses are added.
    virtual void set_losses(const LossAccumulator& losses) = 0;
    /// Returns whether there are losses that `fetch` has not returned.
    virtual bool pending() const = 0;
    /// Waits for all steps and returns the sums of their losses.
    virtual LossAccumulator fetch() = 0;
    /// Returns the loss of the last fetched step, or that of one cost without its weight.
    virtual double loss(int cost = -1) const = 0;
};

/// Training steps on one device, the processor or another, or on all devices of a group, each with all parameters and
/// states. Steps are queued without waiting. Records, parameters, counters and losses are on the devices. A single
/// device runs the whole step as one program. The devices of a group are data parallel: each finds the gradients on its
/// part of the batch and makes the update with the sum over all, so that the parameters stay bit-identical.
///
/// A single device in the host's memory reads parameters, states and records there. Other devices keep records from
/// epoch to epoch if these are in memory, are not augmented, and take no more than half of the memory that is free
/// beside the steps' arena. Otherwise, and after memory ran out, the host gathers each batch and copies it.
template <class T>
class DeviceStep final : public TrainingSteps<T> {
public:
    /// Constructs the steps of a program on a device or, with a program for the update, on a group. Parameters and
    /// states are attached to the device, unless it uses the host's memory, or to the group. The first `losses` outputs
    /// of the program are losses. Throws DeviceError, as the functions below do.
    DeviceStep(std::span<const SharedOwner<ComputeDevice>> devices, const ProgramSource& source, std::size_t losses,
               BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step,
               const SharedOwner<ComputeGroup>& group = {}, const PlanView* update = nullptr);
    DeviceStep(const DeviceStep&) = delete;
    DeviceStep& operator=(const DeviceStep&) = delete;
    ~DeviceStep() override;

    /// Sets the threads of the processor that share a step.
    void set_threads(const Cpu& processor);
    /// Returns the device or the group, as an address.
    const void* place() const;
    bool waits() const override { return waits_; }  ///< true if the device uses the host's memory
    bool keeps_records() const override;
    void halt() override { order_is_known_ = false; }
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch) override;
    void set_losses(const LossAccumulator& losses) override;
    bool pending() const override { return pending_; }
    LossAccumulator fetch() override;
    double loss(int cost = -1) const override { return output(losses_ == 1 ? 0 : static_cast<std::size_t>(1 + cost)); }

private:
    struct Member;
    static constexpr std::size_t apart = 64 / sizeof(T);  ///< starts of tensors are on cache lines
    static_assert(sizeof(LossAccumulator) <= apart * sizeof(T));

    SharedOwner<ComputeGroup> group_;  ///< null for one device
    BatchLoader<T>& batches_;
    StepCore<T>& optimizer_step_;
    DualBuffer<T>& parameters_;
    std::vector<int> parameters_written_, states_written_;
    std::vector<T> scalars_;           ///< the optimizer's scalars and, for a group, the weights of a member's losses
    std::size_t losses_, most_;        ///< most_: records of a member in one step
    std::vector<std::size_t> places_;  ///< start of each output, in elements, and end of the last one
    T* latest_losses_ = nullptr;       ///< the losses fetched last; in the host's memory the present ones
    std::vector<T> fetched_;           ///< accumulated losses, and those of the last step, each on its own cache line
    bool waits_, pending_ = false, order_is_known_ = false;
    std::uint64_t order_epoch_ = 0;
    std::vector<std::size_t> order_;
    std::vector<Owned<Member>> members_;
    std::vector<void*> outputs_;  ///< outputs of each member

    DualBuffer<T>& states() const { return optimizer_step_.dual_buffer(); }
    int optimizer_scalars() const { return optimizer_step_.scalar_count(); }
    double output(std::size_t i) const { return static_cast<double>(latest_losses_[apart * (1 + i)]); }
    std::size_t free_memory() const;
    void keep_records();
    std::ptrdiff_t step_on_kept(std::uint64_t number, std::uint64_t epoch, std::uint64_t batch);
    void run(const StepCounters& now, std::ptrdiff_t records, const RowPointers<T>* rows);
    template <class F>
    void guarded(F f);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/device_step.ipp>
#endif
