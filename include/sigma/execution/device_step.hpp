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

/// A training step where network and optimizer only matter as data. Holds the optimizer's states.
template <class T>
class StepCore {
public:
    /// The program's inputs are those of the network, the targets, and then so many scalars.
    StepCore(ModelStore<T>& model, const CompiledProgram<T>& program, ListView<StateRecord> states, int scalars);
    StepCore(const StepCore&) = delete;
    StepCore& operator=(const StepCore&) = delete;
    ~StepCore();

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1; `scalars` are those of the optimizer in that step.
    double run(const double* scalars, std::uint64_t number, Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count,
               on_cpu::ThreadPool* pool = nullptr);
    /// The loss of one cost in the last `run`, without its weight. (A trainer's steps are its device's.)
    double loss(int cost) const;

    /// Elements from one row of a state to the next.
    int pitch(int i) const { return row_pitch(states_[i].shape, lanes_); }
    /// State `i` of the optimizer as a writable window.
    ArrayView<T> state(int i);
    ParameterRows<T> state_rows(int i) { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ParameterRows<const T> state_rows(int i) const { return rows_of(state_data(i), states_[i].shape, pitch(i)); }
    ListView<StateRecord> state_table() const { return states_; }
    T* state_data(int i) { return memory_.write(i); }
    const T* state_data(int i) const { return memory_.read(i); }
    std::span<T> state_memory() { return memory_.write_all(); }
    std::span<const T> state_memory() const { return memory_.read_all(); }
    /// Where the states are.
    DualBuffer<T>& dual_buffer() { return memory_; }

    /// The seed of dropout and its like in further steps.
    void set_seed(std::uint64_t seed) { session_.random.seed = seed; }
    std::uint64_t seed() const { return session_.random.seed; }
    std::size_t arena_bytes() const { return session_.arena_bytes(); }
    /// The program of a step; inputs are those of the network, the targets, then the optimizer's scalars.
    const CompiledProgram<T>& program() const { return program_; }
    const PlanView& plan() const { return session_.plan(); }
    int scalar_count() const { return static_cast<int>(scalars_.size()); }

    /// The parameters that are trained, while the model has averages in their place, see with_averages; else empty.
    std::vector<T> parameters_aside{};
    Relaxed<bool> model_has_averages{false};  ///< read by other threads, too
    /// Exchanges what the model has with what is kept aside.
    void exchange_with_aside(ModelStore<T>& model);

private:
    const CompiledProgram<T>& program_;
    ListView<StateRecord> states_;
    int lanes_;
    DualBuffer<T> memory_;
    ModelSession<T> session_;
    std::vector<T> scalars_, parts_;  ///< parts: the loss of each cost, where there are several
    T loss_ = 0;
};

/// What a data-parallel training step takes: see to_find_local_gradients and UpdateProgram.
struct DataParallelPlans {
    PlanView gradients, update;
    int losses = 1;  ///< so many of the first outputs of `gradients`
};

/// A training step as a program of all but the update, see to_find_step, and of the update; and those by which the
/// network evaluates and predicts.
struct StepInParts {
    Program gradients, update, evaluation, prediction;
    int losses = 1;  ///< so many of the first outputs of `gradients`
};

/// Who takes the steps of a training, one after the other. They are asked for without waiting for any; what their
/// losses were is fetched.
template <class T>
class TrainingSteps {
public:
    virtual ~TrainingSteps() = default;

    /// Is a step done when `step` returns?
    virtual bool waits() const = 0;
    /// Are records there, so that the host gathers none?
    virtual bool keeps_records() const = 0;
    /// Does each step change other parameters than the trainer's, so that what surrounds a step is theirs?
    virtual bool apart() const { return false; }
    /// What the order of records follows from may have changed.
    virtual void halt() = 0;
    /// Asks for the step of this number on a batch, with the optimizer's scalars; returns how many records it has.
    virtual std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                std::uint64_t batch) = 0;
    /// The how manieth update of the optimizer's states the step of this number is.
    virtual std::uint64_t update_of(std::uint64_t number) { return number; }
    /// Where there are several networks, they become one.
    virtual void merge() {}

    /// From now on losses are added to these.
    virtual void set_losses(const LossAccumulator& losses) = 0;
    /// Is there anything that `fetch` has not seen?
    virtual bool pending() const = 0;
    /// Waits for all steps; what their losses were.
    virtual LossAccumulator fetch() = 0;
    /// The loss of the last step fetched, and that of one cost, without its weight.
    virtual double loss() const = 0;
    virtual double loss(int cost) const = 0;
};

/// Training steps where their members are: one device, the processor or another, or all of a group, each with all
/// parameters and states. Steps are asked for one after the other without waiting for any; records, parameters,
/// counters and losses are there. A member alone runs the whole step as one program. Several are data parallel: each
/// finds the gradients on its part of the batch and makes the update with the sum over all, so that they stay equal,
/// bit by bit.
///
/// A member alone whose memory is the host's reads parameters, states and records where they are. On others records
/// stay from epoch to epoch where they are in memory, are not augmented and take no more than half of what is free
/// beside the steps' arena; otherwise, and from where memory lacks on, each batch is gathered by the host and copied.
template <class T>
class DeviceStep final : public TrainingSteps<T> {
public:
    /// `source` is the program of the step. Parameters and states are attached to the device, unless its memory is the
    /// host's, or to the group. Throws DeviceError, as what follows does.
    DeviceStep(const SharedOwner<ComputeDevice>& device, const ProgramSource& source, BatchLoader<T>& batches,
               ModelStore<T>& model, StepCore<T>& step);
    DeviceStep(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans, BatchLoader<T>& batches,
               ModelStore<T>& model, StepCore<T>& step);
    DeviceStep(const DeviceStep&) = delete;
    DeviceStep& operator=(const DeviceStep&) = delete;
    ~DeviceStep() override;

    /// The device, or the group.
    const void* place() const;
    bool waits() const override { return waits_; }  ///< where it shares the host's memory
    bool keeps_records() const override;
    void halt() override { order_is_known_ = false; }
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch) override;
    void set_losses(const LossAccumulator& losses) override;
    bool pending() const override { return pending_; }
    LossAccumulator fetch() override;
    double loss() const override { return output(0); }
    double loss(int cost) const override { return output(losses_ == 1 ? 0 : static_cast<std::size_t>(1 + cost)); }

private:
    struct Member;
    static constexpr std::size_t apart = 64 / sizeof(T);  ///< tensors begin on cache lines
    static_assert(sizeof(LossAccumulator) <= apart * sizeof(T));

    SharedOwner<ComputeGroup> group_;  ///< none: one device
    BatchLoader<T>& batches_;
    StepCore<T>& optimizer_step_;
    DualBuffer<T>& parameters_;
    std::vector<int> parameters_written_, states_written_;
    std::vector<T> scalars_;           ///< the optimizer's and, of a group, the weights of a member's losses
    std::size_t losses_, most_;        ///< most_: records of a member in one step
    std::vector<std::size_t> places_;  ///< where each output begins, in elements; where the last one ends
    T* told_ = nullptr;                ///< what was fetched last; on the host what there is
    std::vector<T> fetched_;  ///< accumulated losses, and those of the last step, each on a cache line of its own
    bool waits_, pending_ = false, order_is_known_ = false;
    std::uint64_t order_epoch_ = 0;
    std::vector<std::size_t> order_;
    std::vector<Owned<Member>> members_;
    std::vector<void*> outputs_;  ///< of each member

    DeviceStep(std::span<const SharedOwner<ComputeDevice>> devices, const ProgramSource& source, const PlanView* update,
               std::size_t losses, BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step);
    DualBuffer<T>& states() const { return optimizer_step_.dual_buffer(); }
    int optimizer_scalars() const { return optimizer_step_.scalar_count(); }
    double output(std::size_t i) const { return static_cast<double>(told_[apart * (1 + i)]); }
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
