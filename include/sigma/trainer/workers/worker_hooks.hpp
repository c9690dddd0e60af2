// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// InWorker, the argument of functions in hooks of workers. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/trainer/run/step_record.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma {

namespace detail {

/// The parts of a worker that its hooks use.
template <class T>
struct WorkerParts {
    TrainerView& view;
    ModelStore<T>& model;  ///< a model of the trainer's type
    StepCore<T>& step;
    StepRecord<T>& record;
};

}  // namespace detail

/// A worker of a run, as functions of its hooks receive it.
///
/// @par Example
/// @code
/// trainer.add(in_each_worker(every(10, iteration).then([](auto& worker) {
///     if (worker.loss() > 10) worker.stop();
/// })));
/// @endcode
/// @see in_each_worker, workers, docs/workers.md
template <class Trainer, class T>
class InWorker {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

public:
    /// @cond internal
    InWorker(const Trainer& trainer, const detail::WorkerParts<T>& parts) : trainer_(trainer), parts_(parts) {}
    /// @endcond

    /// Returns the number of the worker, from 1.
    int number() const { return static_cast<int>(WorkerNumberValue::read(parts_.view)); }
    /// Returns the name of the trainer.
    const std::string& name() const { return trainer_.name(); }
    /// Returns the number of finished epochs.
    std::uint64_t epoch() const { return parts_.view.epoch(); }
    /// Returns the number of steps that this worker has taken.
    std::uint64_t iteration() const { return parts_.view.iteration(); }
    /// Returns how many moments of each kind this worker has had.
    const MomentCounts& counts() const { return parts_.view.counts(); }
    /// Returns the loss of the worker's last step.
    double loss() const { return parts_.view.loss(); }
    /// Returns the mean loss of the worker's steps in the epoch so far.
    double training_loss() const { return parts_.view.training_loss(); }
    /// Returns the learning rate.
    double learning_rate() const { return parts_.view.learning_rate(); }

    /// Returns the model of the worker.
    Model& model() { return static_cast<Model&>(parts_.model); }
    /// Returns the model of the worker.
    const Model& model() const { return static_cast<const Model&>(parts_.model); }
    /// @cond internal
    /// Returns the worker's training step, which holds the states of its optimizer.
    [[nodiscard]] detail::StepCore<T>& training_step() { return parts_.step; }
    /// @endcond
    /// Computes the mean loss and the accuracy of the worker's model.
    /// @param data  records to score
    /// @return the scores
    auto evaluate(const auto& data) const { return Trainer::evaluate(model(), data); }
    /// Checks that data have the preprocessing and the classes of the training data.
    /// @param data  data to compare with the training data
    /// @throws ArgumentError  if the data have other preprocessing or other classes
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

    /// Prints a line that begins with the number of the worker, when the trainer next waits for this worker.
    /// @param line  text without a newline at its end
    void print(std::string_view line) { parts_.view.print(line); }
    /// Ends the run of all workers.
    void stop() { parts_.view.stop(); }
    /// Notes that you have changed parameters of `model()`.
    void parameters_changed() { parts_.view.parameters_changed(); }

private:
    friend detail::HookAccess;
    const Trainer& trainer_;
    detail::WorkerParts<T> parts_;

    TrainerView& hook_view() { return parts_.view; }
    auto& step_record() { return parts_.record; }
};

namespace detail {

/// The hooks of one worker, and the InWorker that they refer to. The hooks are destroyed first.
struct HooksInWorker {
    SharedOwner<void> worker{};
    Owned<HookGroup> hooks{};
};
/// A function that makes the hooks of one worker.
template <class T>
using MakeInWorker = AnyFunction<HooksInWorker(const WorkerParts<T>&)>;
/// A function that copies the trainer's model.
template <class T>
using CopyOfModel = AnyFunction<SharedOwner<ModelStore<T>>()>;

/// The interface of a run by workers to the hooks in them. Used on the training thread.
class WorkersAtWork {
public:
    /// Waits until all workers have executed their orders. `moment` is a moment of all workers, or null.
    virtual void gather(const Moment* moment) = 0;
    /// Executes the requests of the workers' hooks, such as printed lines and stops.
    virtual void listen() = 0;

    // These act on a group of hooks that were added together, in all workers. `group` is its number in this run. With
    // machines the workers are in several processes, each of which makes the same calls.
    virtual void fire(std::size_t group, Moment moment) = 0;
    virtual void restart(std::size_t group) = 0;
    virtual void remove(std::size_t group) = 0;
    /// Returns the state of the hooks in each worker.
    virtual std::vector<Archive> archives(std::size_t group) = 0;
    virtual void restore(std::size_t group, const std::vector<Archive>& of_each) = 0;
    /// Sends the states of rank 0 to all processes when a run begins. `of_each` begins with the first worker of this
    /// process.
    virtual void share(std::vector<Archive>& of_each) = 0;
    virtual std::size_t first() const = 0;
    virtual std::size_t count() const = 0;
    /// Returns whether another process leads the run.
    virtual bool follows() const = 0;

protected:
    ~WorkersAtWork() = default;
};

/// The hooks of all workers, one group for each worker. Without workers the trainer counts as one worker.
template <class T>
class WorkerHookList {
public:
    WorkerHookList();
    ~WorkerHookList();
    WorkerHookList(const WorkerHookList&) = delete;
    WorkerHookList& operator=(const WorkerHookList&) = delete;

    /// Adds hooks to the workers of later runs. Returns their group for the list of the trainer's hooks.
    Owned<HookGroup> add(const MakeInWorker<T>& make, const CopyOfModel<T>& copy, const WorkerParts<T>& alone);
    /// Returns the function that copies the model; empty if no hooks were added.
    const CopyOfModel<T>& copy_model() const;

    /// Begins a run with these workers. Hooks keep the state of an earlier run with equally many workers. `leave` ends
    /// it.
    void enter(std::span<const WorkerParts<T>> workers, WorkersAtWork& at_work);
    void enter_alone();
    void leave() noexcept;

    // These act on the workers of this process.
    void fire_here(std::size_t group, Moment moment);
    void restart_here(std::size_t group);
    void remove_here(std::size_t group);
    std::vector<Archive> archives_here(std::size_t group);
    void restore_here(std::size_t group, std::span<const Archive> of_each);
    bool empty() const;
    /// Returns the hooks as text, which must be equal in all processes.
    std::string text() const;

    /// Fires the hooks of one worker. Called on its thread.
    void fire(std::size_t worker, Moment moment);
    Wants wants(std::size_t worker, bool ends_epoch) const;
    /// Finds a value that hooks compute in a worker, or without workers in the trainer.
    ComputedValue find_computed(std::size_t worker, const ValueRecord& value) const;
    ComputedValue find_computed_alone(const ValueRecord& value) const;
    /// Returns whether hooks of workers are being made.
    bool is_making() const;

private:
    class Group;
    struct Members;
    Owned<Members> members_;
};

/// Returns a function that makes the hooks of `in_each_worker` for one worker.
template <class T, class Trainer, class... H>
MakeInWorker<T> make_in_worker(Trainer& trainer, const InEachWorker<H...>& in_each) {
    return [&trainer, in_each](const WorkerParts<T>& parts) {
        const auto worker = SharedOwner<InWorker<Trainer, T>>::make(trainer, parts);
        return HooksInWorker{
            worker, std::apply([&](const H&... hooks) { return make_hook_group(*worker, hooks...); }, in_each.hooks)};
    };
}

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/workers/impl/worker_hooks.ipp>
#endif
