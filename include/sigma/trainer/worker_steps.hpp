// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/modifiers.hpp>
#include <sigma/trainer/worker_hooks.hpp>
#include <sigma/trainer/workers.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::detail {

/// What workers know of their trainer.
template <class T>
struct TrainerSeen {
    TrainerView& view;
    WorkerHookList<T>& hooks;
};

/// The steps of a training by workers, each of which has parameters and states of its own, on a thread and a device of
/// its own. The trainer's are what these would be merged to, found when they are read; what is written to the trainer's
/// goes to all. Used by the thread of the run alone.
template <class T>
class WorkerSteps final : public TrainingSteps<T>, public WorkersAtWork {
public:
    /// Parameters and states of the trainer come from here until they are detached. The next step is that of `next`.
    WorkerSteps(const WorkerSet& workers, const BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step,
                const Modifiers<T>& modifiers, const TrainerSeen<T>& trainer, const BatchPosition& next);
    ~WorkerSteps() override;

    /// Seed of a worker's order of records and of its random numbers. The first has that of a training alone.
    static std::uint64_t seed_of(std::uint64_t seed, std::size_t worker);

    bool waits() const override { return false; }
    bool apart() const override { return true; }
    bool keeps_records() const override { return true; }
    void halt() override;
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch) override;
    std::uint64_t update_of(std::uint64_t number) override;
    void set_losses(const LossAccumulator& losses) override;
    bool pending() const override { return pending_; }
    LossAccumulator fetch() override;
    double loss() const override;
    double loss(int cost) const override;
    /// They all have what they would be merged to.
    void merge() override;

    /// Do they keep states of the optimizer that differ?
    bool keep_states() const { return !options_.merge_states && count() > 1 && step_.dual_buffer().size() > 0; }
    /// These are theirs, where they are of as many, and they keep them.
    void take_states(const WorkerStates<T>& from);
    void copy_states(std::vector<std::vector<T>>& to);

    // ---- for hooks ----

    void gather(const Moment* moment) override;
    void listen() override;
    /// Waits for whoever is to take the step of this batch, and does what their hooks have asked for.
    void meet(std::uint64_t batch);
    /// The epoch is over for each, before they are merged.
    void end_epoch(std::uint64_t epoch);
    /// Steps are taken once more, which hooks have seen before.
    void repeats(bool yes) { repeats_ = yes; }
    void for_each(const AnyFunction<void(TrainerView&)>& f) const;
    /// Nobody waits for them.
    void visit(const AnyFunction<void(const WorkerStatus&)>& f) const;

private:
    struct Worker;
    struct Kept;
    class View;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    const BatchLoader<T>& batches_;
    const Modifiers<T>& modifiers_;
    TrainerSeen<T> trainer_;
    WorkerOptions options_;
    std::vector<Owned<Worker>> workers_;
    Owned<Kept> kept_;
    std::size_t last_ = 0;           ///< the worker that took the last step
    std::uint64_t steps_since_ = 0;  ///< since the last merge
    std::uint64_t epoch_;            ///< of the last step
    bool pending_ = false, repeats_ = false;

    std::size_t count() const { return workers_.size(); }
    bool dealt() const { return options_.data == WorkerData::dealt; }
    void wait() const;
    /// Of that one, and what it has to say.
    void wait_for(Worker& worker) const;
    void listen_to(Worker& worker);
    /// The steps of a worker up to that of this position, itself included.
    std::uint64_t steps_of(std::size_t worker, std::uint64_t number, const BatchPosition& last) const;
    /// The trainer's tensors first … end - 1 become what the workers' would be merged to.
    void bring(bool states, int first, int end);
    /// All workers get them.
    void give(bool states, int first, int end);
    DualBuffer<T>& memory(bool states) const { return states ? step_.dual_buffer() : model_.dual_buffer(); }
    static DualBuffer<T>& memory(Worker& worker, bool states);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::WorkerSteps<float>;
extern template class sigma::detail::WorkerSteps<double>;
#else
#include <sigma/trainer/impl/worker_steps.ipp>
#endif
