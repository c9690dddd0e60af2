// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/trainer/worker_steps.hpp>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace sigma::detail {

/// A network with its optimizer, and the thread that takes its steps, one at a time.
template <class T>
struct WorkerSteps<T>::Worker {
    SharedOwner<ComputeDevice> place;
    ModelStore<T> model;
    StepCore<T> step;
    BatchLoader<T> batches;
    Modifiers<T> modifiers;
    Owned<DeviceStep<T>> steps;

    struct Job {
        std::vector<double> scalars{};
        std::uint64_t number = 0, epoch = 0, batch = 0;
    } job{};
    std::mutex mutex{};
    std::condition_variable changed{};
    bool busy = false, stopping = false;
    std::exception_ptr failure{};
    std::thread thread{};  // last: it uses all of it

    Worker(const Device& device, const ModelStore<T>& of, const StepCore<T>& step_of, const Minibatches& minibatches)
        : place(device.compute_device() ? device.compute_device()
                                        : SharedOwner<ComputeDevice>(SharedOwner<CpuDevice>::make(device.processor()))),
          model(of), step(model, step_of.program(), step_of.state_table(), step_of.scalar_count()),
          batches(of.network(), minibatches), modifiers(of.network(), step_of.state_table(), of.lanes()) {
        if (!place->shares_host_memory()) {
            model.dual_buffer().attach(place, "parameters of a worker");
            step.dual_buffer().attach(place, "states of a worker's optimizer");
        }
        const ProgramSource source =
            device.compute_device() ? ProgramSource(step.plan()) : ProgramSource(step.program());
        steps = make_owned<DeviceStep<T>>(place, source, batches, model, step);
        thread = std::thread([this] { work(); });
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        thread.join();
    }

    /// While it has nothing to do.
    void begin() {
        {
            const std::lock_guard lock(mutex);
            busy = true;
        }
        changed.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return !busy; });
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return busy || stopping; });
            if (!busy) return;
            lock.unlock();
            try {
                modifiers.before(model.dual_buffer(), step.dual_buffer(), job.number);
                steps->step(job.scalars.data(), job.number, job.epoch, job.batch);
                modifiers.after(model, step.dual_buffer(), job.number);
            } catch (...) { failure = std::current_exception(); }
            lock.lock();
            busy = false;
            changed.notify_all();
        }
    }
};

template <class T>
struct WorkerSteps<T>::Kept {
    struct Source final : BufferSource {
        WorkerSteps& of;
        bool states;
        Source(WorkerSteps& steps, bool of_states) : of(steps), states(of_states) {}
        void bring(int first, int end) override { of.bring(states, first, end); }
        void give(int first, int end) override { of.give(states, first, end); }
    };
    Source parameters, states;
    MadeCalls<T> calls{};  ///< of merging expressions

    explicit Kept(WorkerSteps& of) : parameters(of, false), states(of, true) {}
};

template <class T>
WorkerSteps<T>::WorkerSteps(const WorkerSet& workers, const BatchLoader<T>& batches, ModelStore<T>& model,
                            StepCore<T>& step, const Modifiers<T>& modifiers)
    : model_(model), step_(step), batches_(batches), modifiers_(modifiers), options_(workers.options),
      kept_(make_owned<Kept>(*this)) {
    for (const Merger& m : options_.mergers)
        if (std::ranges::none_of(model.network().parameters,
                                 [&](const ParameterRecord& r) { return matches(m.pattern, r.name.view()); }))
            throw ArgumentError("merge of workers", "a pattern that matches a parameter",
                                pattern_without_match(m.pattern, model.network()));
    for (const Device& device : workers.devices) {
        Minibatches own = batches.batches();
        own.prefetch = 0;
        workers_.push_back(make_owned<Worker>(device, model, step, own));
    }
    model.dual_buffer().attach(kept_->parameters);
    step.dual_buffer().attach(kept_->states);
    halt();
}
template <class T>
WorkerSteps<T>::~WorkerSteps() = default;

template <class T>
DualBuffer<T>& WorkerSteps<T>::memory(Worker& worker, bool states) {
    return states ? worker.step.dual_buffer() : worker.model.dual_buffer();
}

/// Throws what a worker has thrown, when all of them have stopped.
template <class T>
void WorkerSteps<T>::wait() const {
    std::exception_ptr failure;
    for (const auto& w : workers_) try {
            w->wait();
        } catch (...) { failure = std::current_exception(); }
    if (failure) std::rethrow_exception(failure);
}

/// What they take may have changed: the seed, or the position.
template <class T>
void WorkerSteps<T>::halt() {
    wait();
    for (std::size_t i = 0; i < count(); ++i) {
        Worker& w = *workers_[i];
        w.steps->halt();
        w.batches.halt();
        Minibatches &own = w.batches.batches(), now = batches_.batches();
        own.seed = dealt() ? now.seed : DeviceStep<T>::seed_of(now.seed, i);
        own.shuffling = now.shuffling;
        w.step.set_seed(dealt() ? step_.seed() : DeviceStep<T>::seed_of(step_.seed(), i));
    }
}

template <class T>
std::uint64_t WorkerSteps<T>::update_of(std::uint64_t number) {
    return dealt() ? (number - 1) / count() + 1 : number;
}

template <class T>
std::ptrdiff_t WorkerSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                    std::uint64_t batch) {
    model_.dual_buffer().upload();
    step_.dual_buffer().upload();
    const auto hand = [&](std::size_t i) {
        Worker& w = *workers_[i];
        w.wait();
        w.modifiers.follow(modifiers_);
        w.job.scalars.assign(scalars, scalars + step_.scalar_count());
        w.job.number = number, w.job.epoch = epoch, w.job.batch = batch;
        w.begin();
    };
    last_ = dealt() ? static_cast<std::size_t>(batch % count()) : 0;
    for (std::size_t i = 0; i < count(); ++i)
        if (!dealt() || i == last_) hand(i);
    for (const bool states : {false, true})
        for (int i = 0; i < memory(states).count(); ++i) memory(states).mark_written_by_all(i);
    pending_ = true;
    ++steps_since_;
    const auto records = static_cast<std::ptrdiff_t>(batches_.batches().records_in(batch));
    if (options_.merge_every > 0 &&
        steps_since_ == static_cast<std::uint64_t>(options_.merge_every) * (dealt() ? count() : 1))
        merge();
    return dealt() ? records : records * static_cast<std::ptrdiff_t>(count());
}

template <class T>
void WorkerSteps<T>::merge() {
    if (std::exchange(steps_since_, 0) == 0) return;
    for (const bool states : {false, true}) {
        static_cast<void>(memory(states).read_all());
        if (!states || options_.merge_states) give(states, 0, memory(states).count());
    }
}

template <class T>
void WorkerSteps<T>::bring(bool states, int first, int end) {
    wait();
    DualBuffer<T>& to = memory(states);
    // What hooks set of the network itself is the same in all.
    if (!states) end = std::min(end, model_.network().parameters.size());
    for (int i = first; i < end; ++i) {
        const Merger* by = nullptr;
        for (const Merger& m : options_.mergers)
            if (!states && matches(m.pattern, model_.network().parameters[i].name.view())) by = &m;
        static const Merger average = sigma::merge("*", MergeBy::average);
        const Merger& merger = by ? *by : average;
        const Shape shape{static_cast<int>(to.size(i))};
        std::vector<typename MadeCalls<T>::Argument> values;
        for (const auto& w : workers_) values.push_back({shape, memory(*w, states).read(i), false});
        // Programs are kept by shapes: what an expression of the user's makes is not.
        MadeCalls<T> own;
        (by ? own : kept_->calls)
            .run(
                values, 1,
                [&](std::span<const Tensor> x, List<Variable>& results) {
                    const Tensor merged = merger.expression(x);
                    if (merged.shape() != shape)
                        throw ArgumentError(sentence("merge '", merger.pattern, "'"),
                                            "an expression of the shape of its arguments", "another shape");
                    results.push(merged.variable);
                },
                [&](std::size_t, const std::vector<std::size_t>&) {
                    return typename MadeCalls<T>::Result{to.place(i), false};
                },
                {}, nullptr);
    }
}

template <class T>
void WorkerSteps<T>::give(bool states, int first, int end) {
    wait();
    for (const auto& w : workers_)
        for (int i = first; i < end; ++i)
            std::copy_n(memory(states).place(i), memory(states).size(i), memory(*w, states).write(i));
}

// ---- losses ----

template <class T>
void WorkerSteps<T>::set_losses(const LossAccumulator& losses) {
    wait();
    for (std::size_t i = 0; i < count(); ++i) workers_[i]->steps->set_losses(i == 0 ? losses : LossAccumulator{});
    pending_ = false;
}
template <class T>
LossAccumulator WorkerSteps<T>::fetch() {
    wait();
    LossAccumulator all;
    for (const auto& w : workers_) {
        const LossAccumulator one = w->steps->fetch();
        all.total += one.total;
        all.records += one.records;
        if (one.first_non_finite > 0 && (all.first_non_finite == 0 || one.first_non_finite < all.first_non_finite))
            all.first_non_finite = one.first_non_finite;
    }
    pending_ = false;
    return all;
}
template <class T>
double WorkerSteps<T>::loss() const {
    if (dealt()) return workers_[last_]->steps->loss();
    double all = 0;
    for (const auto& w : workers_) all += w->steps->loss() / static_cast<double>(count());
    return all;
}
template <class T>
double WorkerSteps<T>::loss(int cost) const {
    if (dealt()) return workers_[last_]->steps->loss(cost);
    double all = 0;
    for (const auto& w : workers_) all += w->steps->loss(cost) / static_cast<double>(count());
    return all;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::WorkerSteps<float>;
template class sigma::detail::WorkerSteps<double>;
#endif
