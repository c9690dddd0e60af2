// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <sigma/trainer/run/modifiers.hpp>
#include <sigma/trainer/workers/run_workers.hpp>
#include <sigma/trainer/workers/worker_hooks.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// The parts of a trainer that its workers use.
template <class T>
struct TrainerInterface {
    TrainerView& view;
    WorkerHookList<T>& hooks;
};

/// The steps of a training by workers. Each worker has its own parameters and states, thread and device. The trainer's
/// parameters and states are those that the workers would be merged to; they are computed when they are read. Writing
/// them sets those of all workers. Used on the training thread only.
///
/// With machines each process has some of the workers, and those of rank 0 are the first. Rank 0 leads and sends orders
/// to the other processes, in which all functions except `follow` do nothing.
template <class T>
class WorkerSteps final : public TrainingSteps<T>, public RunWorkers<T>, public WorkersAtWork, public SharedRun {
public:
    /// Constructs the workers and attaches them to the trainer's parameters and states. `next` is the position of the
    /// next step.
    WorkerSteps(const WorkerSet& workers, const BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step,
                Modifiers<T>& modifiers, const TrainerInterface<T>& trainer, const BatchPosition& next,
                const AlikeMachines& machines = {});
    ~WorkerSteps() override;

    /// Returns the seed of a worker's order of records and random numbers. The first worker has the seed itself.
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
    double loss(int cost = -1) const override { return loss_at(static_cast<std::size_t>(4 + cost)); }
    /// Merges all workers.
    void merge() override;
    WorkerSteps* workers() override { return this; }
    SharedRun* shared_run() override { return this; }

    bool keep_states() const override {
        return !idle() && !options_.merge_states && count() > 1 && step_.dual_buffer().size() > 0;
    }
    void take_states(const WorkerStates<T>& from) override;
    void copy_states(std::vector<std::vector<T>>& to) override;

    // ---- for hooks ----

    void gather(const Moment* moment) override;
    void listen() override;
    void meet(std::uint64_t batch) override;
    void end_epoch(std::uint64_t epoch) override;
    void repeats(bool yes) override { repeats_ = yes; }
    void for_each(const AnyFunction<void(TrainerView&)>& f) override;
    std::vector<double> read(int reading) override;
    void visit(const AnyFunction<void(const WorkerStatus&)>& f) override;

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
    TrainerInterface<T> trainer_;
    WorkerOptions options_;
    SharedOwner<MachineGroup> group_;     ///< null in a run of one process
    std::vector<std::size_t> firsts_;     ///< first worker of each process; then the number of all
    std::vector<Owned<Worker>> workers_;  ///< the workers of this process
    Owned<Kept> kept_;
    std::size_t last_ = 0;           ///< the worker that took the last step
    std::uint64_t steps_since_ = 0;  ///< steps of each worker since the last merge
    std::uint64_t epoch_;            ///< epoch of the last step
    bool pending_ = false, repeats_ = false, ended_ = false;
    double runtime_ = 0, learning_rate_ = 0;  ///< running time and rate of the trainer at the last order
    std::vector<std::string> devices_{};      ///< device of each worker
    std::vector<bool> stops_{};               ///< workers that have stopped the run, until the stop is executed
    std::vector<double> numbers_{};           ///< numbers of each worker, as last gathered
    std::vector<double> losses_{};            ///< losses of each worker, as last gathered
    std::vector<Archive> archives_{};
    std::vector<T> passed_{};
    std::uint64_t rules_ = 0;  ///< version of the modifiers that all workers have
    std::vector<double> scalars_{};
    std::vector<std::byte> orders_{};  ///< orders that were not sent to the other processes yet

    std::size_t rank() const { return group_ ? static_cast<std::size_t>(group_->rank()) : 0; }
    /// Returns whether another process leads, or the run has ended.
    bool idle() const { return follows() || ended_; }
    /// Returns the worker of this number, or null if it is in another process.
    Worker* own(std::size_t worker) const {
        const std::size_t i = worker - first();  // wraps around to a great number if less than 0
        return i < workers_.size() ? workers_[i].get() : nullptr;
    }
    bool dealt() const { return options_.data == WorkerData::dealt; }
    /// Sends an order to all processes, and executes it here.
    void order(Order order);
    void execute(const Order& order);
    /// Waits for the workers of this process, or one of them. Returns the exception of a worker when all have stopped.
    std::exception_ptr wait_for_workers(const Worker* only = nullptr) const;
    /// Waits for all workers. Rethrows the exception of a worker when all have stopped.
    void wait();
    void collect_requests(bool one, const Worker* only);
    void execute_requests(std::size_t worker);
    void queue_order(Worker& worker, const Order& order);
    /// Calls f(worker, numbers) for the workers of this process, then gathers `of_each` numbers of all workers in
    /// `numbers_`.
    template <class F>
    void gather(std::size_t of_each, F f);
    void gather_here(void* data, std::size_t bytes_of_each);
    /// Sends the states of a worker from rank 0, or to it.
    void pass_state(std::size_t worker, bool to_worker);
    void pass_archives(std::size_t group, bool to_workers);
    const double* losses_of(std::size_t worker) const { return losses_.data() + worker * (losses_.size() / count()); }
    double loss_at(std::size_t place) const;
    void make(const WorkerSet& workers, const BatchPosition& next, const AlikeMachines& machines);
    std::string identity() const;
    /// Returns the number of steps of a worker up to and including the step of this position.
    std::uint64_t steps_of(std::size_t worker, std::uint64_t number, const BatchPosition& last) const;
    /// Sets the trainer's tensors first … end - 1 to the merged tensors of the workers.
    void download(bool states, int first, int end);
    /// Sets these tensors of all workers to the trainer's.
    void upload(bool states, int first, int end);
    struct Piece;
    void merge_here(bool states, int first, int end);
    void merge_pieces(bool states, std::span<const Piece> pieces);
    void give_here(bool states, int first, int end);
    DualBuffer<T>& memory(bool states) const { return states ? step_.dual_buffer() : model_.dual_buffer(); }
    static DualBuffer<T>& memory(Worker& worker, bool states);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/workers/impl/worker_steps.ipp>
#endif
