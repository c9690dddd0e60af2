// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/trainer/step_record.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma {

namespace detail {

/// What hooks in a worker are made for.
template <class T>
struct WorkerParts {
    TrainerView& view;
    ModelStore<T>& model;  ///< of the trainer's type
    StepCore<T>& step;
    StepRecord<T>& record;
};

}  // namespace detail

/// A worker as functions of hooks in it see it: `in_each_worker(every(10, iteration).then([](auto& worker) { … }))`.
template <class Trainer, class T>
class InWorker {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

public:
    InWorker(const Trainer& trainer, const detail::WorkerParts<T>& parts) : trainer_(trainer), parts_(parts) {}

    /// From 1.
    int number() const { return static_cast<int>(WorkerNumberValue::read(parts_.view)); }
    /// Of the trainer.
    const std::string& name() const { return trainer_.name(); }
    std::uint64_t epoch() const { return parts_.view.epoch(); }
    std::uint64_t iteration() const { return parts_.view.iteration(); }  ///< steps that this worker took
    const MomentCounts& counts() const { return parts_.view.counts(); }
    double loss() const { return parts_.view.loss(); }                    ///< of its last step
    double training_loss() const { return parts_.view.training_loss(); }  ///< its mean of the epoch so far
    double learning_rate() const { return parts_.view.learning_rate(); }

    Model& model() { return static_cast<Model&>(parts_.model); }
    const Model& model() const { return static_cast<const Model&>(parts_.model); }
    /// What takes its steps, with the states of its optimizer.
    [[nodiscard]] detail::StepCore<T>& training_step() { return parts_.step; }
    auto evaluate(const auto& data) const { return Trainer::evaluate(model(), data); }
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

    void print(std::string_view line) { parts_.view.print(line); }
    /// Ends the run of all.
    void stop() { parts_.view.stop(); }
    void parameters_changed() { parts_.view.parameters_changed(); }

private:
    friend detail::HookAccess;
    const Trainer& trainer_;
    detail::WorkerParts<T> parts_;

    TrainerView& hook_view() { return parts_.view; }
    auto& step_record() { return parts_.record; }
};

namespace detail {

/// The hooks of one worker, and what they take it for; they end first.
struct HooksInWorker {
    SharedOwner<void> worker{};
    Owned<HookGroup> hooks{};
};
template <class T>
using MakeInWorker = AnyFunction<HooksInWorker(const WorkerParts<T>&)>;
/// A copy of the trainer's model, of its type.
template <class T>
using CopyOfModel = AnyFunction<SharedOwner<ModelStore<T>>()>;

/// A run by workers, for hooks in them. On the thread of the run.
class WorkersAtWork {
public:
    /// Waits until all have done what they were asked for. The moment is one of all, or none.
    virtual void gather(const Moment* moment) = 0;
    /// Does what their hooks have asked for.
    virtual void listen() = 0;

    // Of the hooks that were added together, by their number in this run, in all workers. They are in several processes
    // where it is one by machines, which do the same each.
    virtual void fire(std::size_t group, Moment moment) = 0;
    virtual void restart(std::size_t group) = 0;
    virtual void remove(std::size_t group) = 0;
    /// The state of each.
    virtual std::vector<Archive> archives(std::size_t group) = 0;
    virtual void restore(std::size_t group, const std::vector<Archive>& of_each) = 0;
    /// When a run begins, all processes have those of rank 0. These are for workers first … here.
    virtual void share(std::vector<Archive>& of_each) = 0;
    virtual std::size_t first() const = 0;
    virtual std::size_t count() const = 0;
    /// Does this process have hooks of a run that it does not lead?
    virtual bool follows() const = 0;

protected:
    ~WorkersAtWork() = default;
};

/// Hooks that live in each worker: one group for each of them. Where there are no workers, these are one, the trainer.
template <class T>
class WorkerHookList {
public:
    WorkerHookList();
    ~WorkerHookList();
    WorkerHookList(const WorkerHookList&) = delete;
    WorkerHookList& operator=(const WorkerHookList&) = delete;

    /// Those that are added together, for the list of the trainer's hooks. They live in the workers of runs to come.
    Owned<HookGroup> add(const MakeInWorker<T>& make, const CopyOfModel<T>& copy, const WorkerParts<T>& alone);
    /// Empty where no hooks were added.
    const CopyOfModel<T>& copy_model() const;

    /// A run begins, and ends. What hooks keep of a run before is theirs where it had as many workers.
    void enter(std::span<const WorkerParts<T>> workers, WorkersAtWork& at_work);
    void enter_alone();
    void leave() noexcept;

    /// Of the workers in this process.
    void fire_here(std::size_t group, Moment moment);
    void restart_here(std::size_t group);
    void remove_here(std::size_t group);
    std::vector<Archive> archives_here(std::size_t group);
    void restore_here(std::size_t group, std::span<const Archive> of_each);
    bool empty() const;
    /// The sentences, which all processes have.
    std::string text() const;

    /// On the worker's thread: of its hooks alone.
    void fire(std::size_t worker, Moment moment);
    Wants wants(std::size_t worker, bool ends_epoch) const;
    /// What they compute in a worker, and where there are none, in the trainer.
    ComputedValue find_computed(std::size_t worker, const ValueRecord& value) const;
    ComputedValue find_computed_alone(const ValueRecord& value) const;
    /// Are hooks that are being made some of these?
    bool is_making() const;

private:
    class Group;
    struct Members;
    Owned<Members> its_;
};

/// The sentences of `in_each_worker`, for a trainer of that type.
template <class T, class Trainer, class... H>
MakeInWorker<T> make_in_worker(Trainer& trainer, const InEachWorker<H...>& of) {
    return [&trainer, of](const WorkerParts<T>& parts) {
        const auto worker = SharedOwner<InWorker<Trainer, T>>::make(trainer, parts);
        return HooksInWorker{
            worker, std::apply([&](const H&... hooks) { return make_hook_group(*worker, hooks...); }, of.hooks)};
    };
}

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/worker_hooks.ipp>
#endif
