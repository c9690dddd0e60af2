// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/machines.hpp>
#include <sigma/trainer/modifiers.hpp>
#include <sigma/trainer/worker_hooks.hpp>
#include <sigma/trainer/workers.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
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
///
/// With machines each process has some of them, those of rank 0 the first. It alone is asked for steps, and tells the
/// others what to do; what is said here does nothing in these but `follow`.
template <class T>
class WorkerSteps final : public TrainingSteps<T>, public WorkersAtWork, public SharedRun {
public:
    /// Parameters and states of the trainer come from here until they are detached. The next step is that of `next`.
    WorkerSteps(const WorkerSet& workers, const BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step,
                Modifiers<T>& modifiers, const TrainerSeen<T>& trainer, const BatchPosition& next,
                const AlikeMachines& machines = {});
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
    double loss() const override { return loss_at(3); }
    double loss(int cost) const override { return loss_at(4 + static_cast<std::size_t>(cost)); }
    /// They all have what they would be merged to.
    void merge() override;

    /// Do they keep states of the optimizer that differ?
    bool keep_states() const {
        return !idle() && !options_.merge_states && count() > 1 && step_.dual_buffer().size() > 0;
    }
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
    /// Of this process.
    void for_each(const AnyFunction<void(TrainerView&)>& f);
    /// Of each worker.
    std::vector<double> read(int reading);
    /// Nobody waits for them, but other processes answer between two steps.
    void visit(const AnyFunction<void(const WorkerStatus&)>& f);

    void fire(std::size_t group, Moment moment) override;
    void restart(std::size_t group) override;
    void remove(std::size_t group) override;
    std::vector<Archive> archives(std::size_t group) override;
    void restore(std::size_t group, const std::vector<Archive>& of_each) override;
    void share(std::vector<Archive>& of_each) override;
    std::size_t first() const override { return firsts_[rank()]; }
    std::size_t count() const override { return firsts_.back(); }
    bool follows() const override { return rank() > 0; }

    // ---- with machines ----

    void end(std::vector<std::byte> result) override;
    std::vector<std::byte> follow() override;

private:
    struct Worker;
    struct Kept;
    struct Order;
    class View;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    const BatchLoader<T>& batches_;
    Modifiers<T>& modifiers_;
    TrainerSeen<T> trainer_;
    WorkerOptions options_;
    SharedOwner<MachineGroup> group_;     ///< of several processes, or none
    std::vector<std::size_t> firsts_;     ///< the first worker of each process, and how many there are
    std::vector<Owned<Worker>> workers_;  ///< of this process
    Owned<Kept> kept_;
    std::size_t last_ = 0;           ///< the worker that took the last step
    std::uint64_t steps_since_ = 0;  ///< since the last merge
    std::uint64_t epoch_;            ///< of the last step
    bool pending_ = false, repeats_ = false, ended_ = false;
    double runtime_ = 0, learning_rate_ = 0;  ///< of the trainer, at the last order
    std::vector<std::string> devices_{};      ///< of each worker
    std::vector<bool> stops_{};               ///< who of them stops the run, which nobody has heeded yet
    std::vector<double> numbers_{};           ///< of each worker, as last gathered
    std::vector<double> losses_{};            ///< the same of their losses
    std::vector<Archive> archives_{};
    std::vector<T> passed_{};
    std::uint64_t rules_ = 0;  ///< version of the modifiers that all have
    std::vector<double> scalars_{};
    std::vector<std::byte> orders_{};  ///< that the others do not know of

    std::size_t rank() const { return group_ ? static_cast<std::size_t>(group_->rank()) : 0; }
    /// Does another process say what to do, or nobody any more?
    bool idle() const { return follows() || ended_; }
    /// The worker of this number, where it is in this process.
    Worker* own(std::size_t worker) const {
        const std::size_t i = worker - first();  // from far below it is far above
        return i < workers_.size() ? workers_[i].get() : nullptr;
    }
    bool dealt() const { return options_.data == WorkerData::dealt; }
    /// All processes do it.
    void order(Order order);
    void obey(const Order& order);
    /// Waits for the workers of this process, or one of them; what one has thrown, when they have stopped.
    std::exception_ptr settle(const Worker* only = nullptr) const;
    /// Throws what a worker has thrown, when all of them have stopped.
    void wait();
    void hear_of(bool one, const Worker* only);
    void heed(std::size_t worker);
    void hand(Worker& worker, const Order& order);
    /// f(worker, numbers) for those of this process; then `numbers_` has so many of each worker.
    template <class F>
    void gather(std::size_t of_each, F f);
    void gather_here(void* data, std::size_t bytes_of_each);
    /// Of a worker, to rank 0 or from it.
    void pass_state(std::size_t worker, bool to_worker);
    void pass_archives(std::size_t group, bool to_workers);
    const double* losses_of(std::size_t worker) const { return losses_.data() + worker * (losses_.size() / count()); }
    double loss_at(std::size_t place) const;
    void make(const WorkerSet& workers, const BatchPosition& next, const AlikeMachines& machines);
    std::string identity() const;
    /// The steps of a worker up to that of this position, itself included.
    std::uint64_t steps_of(std::size_t worker, std::uint64_t number, const BatchPosition& last) const;
    /// The trainer's tensors first … end - 1 become what the workers' would be merged to.
    void bring(bool states, int first, int end);
    /// All workers get them.
    void give(bool states, int first, int end);
    struct Piece;
    void merge_here(bool states, int first, int end);
    void merge_pieces(bool states, std::span<const Piece> pieces);
    void give_here(bool states, int first, int end);
    DualBuffer<T>& memory(bool states) const { return states ? step_.dual_buffer() : model_.dual_buffer(); }
    static DualBuffer<T>& memory(Worker& worker, bool states);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/worker_steps.ipp>
#endif
