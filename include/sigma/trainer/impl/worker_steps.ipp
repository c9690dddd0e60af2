// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/worker_steps.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace sigma::detail {

/// A network with its optimizer, and the thread that takes its steps, one at a time.
template <class T>
struct WorkerSteps<T>::Worker {
    using Clock = std::chrono::steady_clock;
    const std::size_t number;  ///< from 0
    const WorkerSteps& of;
    SharedOwner<ComputeDevice> place;
    SharedOwner<ModelStore<T>> model;
    StepCore<T> step;
    BatchLoader<T> batches;
    Modifiers<T> modifiers;
    StepRecord<T> record{};
    Owned<DeviceStep<T>> steps;

    struct Job {
        std::vector<double> scalars{};
        std::uint64_t number = 0, epoch = 0, batch = 0;
        std::uint64_t iteration = 0;  ///< of this worker
        Moment moment = Moment::iteration;
        bool fires = true;
        double runtime = 0, learning_rate = 0;
    } job{};
    MomentCounts counts{};
    // Of the epoch so far: what was counted before the losses were set to `counted_from`.
    LossAccumulator counted{}, counted_from{};
    bool counts_losses = false;
    std::uint64_t records = 0;  ///< of this run
    double began = 0;           ///< the running time then
    std::vector<std::string> lines{};
    std::vector<AnyFunction<void()>> after_hooks{};
    bool stops = false;
    const std::string device;
    Relaxed<double> busy_seconds, idle_seconds, last_loss{std::numeric_limits<double>::quiet_NaN()};
    Relaxed<std::uint64_t> taken;
    Relaxed<bool> loss_wanted;
    Owned<View> view;

    std::mutex mutex{};
    std::condition_variable changed{};
    bool busy = false, stopping = false;
    std::exception_ptr failure{};
    std::thread thread{};  // last: it uses all of it

    Worker(std::size_t i, const WorkerSteps& all, const Device& where, const Minibatches& minibatches)
        : number(i), of(all), place(opened(where)),
          model(all.trainer_.hooks.copy_model() ? all.trainer_.hooks.copy_model()()
                                                : SharedOwner<ModelStore<T>>::make(all.model_)),
          step(*model, all.step_.program(), all.step_.state_table(), all.step_.scalar_count()),
          batches(all.model_.network(), minibatches),
          modifiers(all.model_.network(), all.step_.state_table(), all.model_.lanes()), device(where.text()),
          view(make_owned<View>(*this)) {
        model->set_processor(where.processor());
        if (!place->shares_host_memory()) {
            model->dual_buffer().attach(place, "parameters of a worker");
            step.dual_buffer().attach(place, "states of a worker's optimizer");
        }
        const ProgramSource source =
            where.compute_device() ? ProgramSource(step.plan()) : ProgramSource(step.program());
        steps = make_owned<DeviceStep<T>>(place, source, batches, *model, step);
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
        job.runtime = of.trainer_.view.runtime();
        job.learning_rate = of.trainer_.view.learning_rate();
        job.fires = !of.repeats_;
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
        Clock::time_point since{};  // its first step
        const auto note = [&](Relaxed<double>& seconds) {
            const auto before = std::exchange(since, Clock::now());
            if (before != Clock::time_point{})
                seconds = seconds + std::chrono::duration<double>(since - before).count();
        };
        while (true) {
            changed.wait(lock, [this] { return busy || stopping; });
            if (!busy) return;
            lock.unlock();
            note(idle_seconds);
            try {
                if (job.moment == Moment::iteration) take_step();
                if (job.fires) fire();
            } catch (...) { failure = std::current_exception(); }
            note(busy_seconds);
            lock.lock();
            busy = false;
            changed.notify_all();
        }
    }
    void take_step() {
        if (record.used() && job.fires) keep();
        modifiers.before(model->dual_buffer(), step.dual_buffer(), job.number);
        const auto count = steps->step(job.scalars.data(), job.number, job.epoch, job.batch);
        modifiers.after(*model, step.dual_buffer(), job.number);
        records += static_cast<std::uint64_t>(count);
        taken = taken + 1;
        if (loss_wanted) {
            loss_wanted = false;
            static_cast<void>(steps->fetch());
            last_loss = steps->loss();
        }
        counts[Moment::iteration] = job.iteration;
        counts[Moment::epoch] = job.epoch;
    }
    /// What hooks will read of the step.
    void keep() {
        const bool ends_epoch = job.batch + 1 == batches.batches().batches_per_epoch();
        const Wants wanted = of.trainer_.hooks.wants(number, ends_epoch);
        const std::ptrdiff_t count = wanted.any() ? batches.gather(job.epoch, job.batch) : 0;
        record.before(wanted, *model, job.number, batches.inputs(), batches.targets(), count, nullptr);
    }
    void fire() {
        of.trainer_.hooks.fire(number, job.moment);
        for (const auto& f : std::exchange(after_hooks, {})) f();
    }

    // ---- losses ----

    void begin_epoch() {
        counted = {};
        if (counts_losses) counted_from = steps->fetch();
    }
    void set_losses(const LossAccumulator& losses) {
        counted = own_losses();
        steps->set_losses(losses);
        counted_from = losses;
        counts_losses = true;
    }
    LossAccumulator own_losses() const {
        LossAccumulator own = counted;
        if (!counts_losses) return own;
        const LossAccumulator now = steps->fetch();
        own.total += now.total - counted_from.total;
        own.records += now.records - counted_from.records;
        return own;
    }
};

/// A worker as hooks see it: on its thread, or on that of the run while it waits.
template <class T>
class WorkerSteps<T>::View final : public TrainerView {
public:
    explicit View(Worker& worker) : TrainerView(&worker), worker_(worker) {}

    const std::string& name() const override { return trainer().name(); }
    int worker() const override { return static_cast<int>(worker_.number) + 1; }
    const MomentCounts& counts() const override { return worker_.counts; }
    double runtime() const override { return worker_.job.runtime; }
    std::uint64_t epoch() const override { return worker_.counts[Moment::epoch]; }
    std::uint64_t iteration() const override { return worker_.counts[Moment::iteration]; }
    double loss() const override {
        if (worker_.records == 0) return std::numeric_limits<double>::quiet_NaN();
        static_cast<void>(worker_.steps->fetch());
        return worker_.steps->loss();
    }
    double training_loss() const override {
        const LossAccumulator own = worker_.own_losses();
        return own.total / static_cast<double>(own.records);
    }
    double samples_per_second() const override {
        return static_cast<double>(worker_.records) / std::max(runtime() - worker_.began, 1e-9);
    }
    double learning_rate() const override { return worker_.job.learning_rate; }
    void check_optimizer() const override { trainer().check_optimizer(); }
    void require_like_training(const Dataset& data) const override { trainer().require_like_training(data); }

    void print(std::string_view line) override { worker_.lines.push_back(sentence("worker ", worker(), "  ", line)); }
    void stop() override { worker_.stops = true; }
    void after_hooks(AnyFunction<void()> f) override { worker_.after_hooks.push_back(std::move(f)); }
    // What acts on all workers.
    void set_learning_rate(double) override { refuse("learning rate"); }
    void pause() override { refuse("pause"); }
    void reset() override { refuse("reset"); }
    void post(AnyFunction<void()>) override { refuse("post"); }
    void save_after_hooks(std::string) override { refuse("save"); }
    void load_after_hooks(std::string) override { refuse("restore"); }
    void load_parameters(const std::string&, const std::string&) override { refuse("restore_parameters"); }
    std::vector<std::byte> checkpoint() override { return refuse("checkpoint"), std::vector<std::byte>(); }
    void write_checkpoint(const std::vector<std::byte>&, const std::string&) const override { refuse("save"); }
    void freeze(std::string_view) override { refuse("freeze"); }
    void unfreeze(std::string_view) override { refuse("unfreeze"); }

    ComputedValue find_computed(const ValueRecord& value) const override { return find_computed_in_worker(value); }
    ComputedValue find_computed_in_worker(const ValueRecord& value) const override {
        return worker_.of.trainer_.hooks.find_computed(worker_.number, value);
    }

    AnyStore parameters() override { return *worker_.model; }
    void parameters_changed() override {}
    bool frozen(int parameter) const override { return worker_.modifiers.frozen(parameter); }
    KeptTensor gradient(int parameter) override {
        const auto kept = worker_.record.gradient(parameter, worker_.job.number);
        return kept ? KeptTensor{kept->data(), worker_.model->network().parameters[parameter].shape.last()}
                    : KeptTensor{};
    }
    KeptTensor before(int parameter) override {
        const auto kept = worker_.record.before(parameter, *worker_.model, worker_.job.number);
        return kept ? KeptTensor{kept->data(), worker_.model->pitch(parameter)} : KeptTensor{};
    }

private:
    Worker& worker_;

    const TrainerView& trainer() const { return worker_.of.trainer_.view; }
    void refuse(const char* what) const {
        throw StateError(sentence(what, " of trainer '", name(), "'"), "a hook over all workers",
                         sentence("one in worker ", worker()));
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
                            StepCore<T>& step, const Modifiers<T>& modifiers, const TrainerSeen<T>& trainer,
                            const BatchPosition& next)
    : model_(model), step_(step), batches_(batches), modifiers_(modifiers), trainer_(trainer),
      options_(workers.options), kept_(make_owned<Kept>(*this)), epoch_(next.epoch) {
    for (const Merger& m : options_.mergers)
        if (std::ranges::none_of(model.network().parameters,
                                 [&](const ParameterRecord& r) { return matches(m.pattern, r.name.view()); }))
            throw ArgumentError("merge of workers", "a pattern that matches a parameter",
                                pattern_without_match(m.pattern, model.network()));
    for (const Device& device : workers.devices) {
        Minibatches own = batches.batches();
        own.prefetch = 0;
        workers_.push_back(make_owned<Worker>(workers_.size(), *this, device, own));
    }
    std::vector<WorkerParts<T>> parts;
    for (std::size_t i = 0; i < count(); ++i) {
        Worker& w = *workers_[i];
        w.counts = trainer.view.counts();
        if (next.number > 0 || next.epoch > 0)  // up to the step before, which may be the last of an epoch
            w.counts[Moment::iteration] =
                steps_of(i, trainer.view.iteration(),
                         next.number > 0 ? BatchPosition{next.epoch, next.number - 1}
                                         : BatchPosition{next.epoch - 1, batches.batches().batches_per_epoch() - 1});
        w.job.runtime = w.began = trainer.view.runtime();
        w.job.learning_rate = trainer.view.learning_rate();
        parts.push_back({*w.view, *w.model, w.step, w.record});
    }
    model.dual_buffer().attach(kept_->parameters);
    step.dual_buffer().attach(kept_->states);
    halt();
    trainer.hooks.enter(parts, *this);
}
template <class T>
WorkerSteps<T>::~WorkerSteps() {
    try {
        wait();
        listen();
    } catch (...) {  // the run has ended by another reason
    }
    trainer_.hooks.leave();
}

template <class T>
DualBuffer<T>& WorkerSteps<T>::memory(Worker& worker, bool states) {
    return states ? worker.step.dual_buffer() : worker.model->dual_buffer();
}

/// Throws what a worker has thrown, when all of them have stopped.
template <class T>
void WorkerSteps<T>::wait() const {
    std::exception_ptr failure;
    for (const auto& w : workers_) try {
            wait_for(*w);
        } catch (...) { failure = std::current_exception(); }
    if (failure) std::rethrow_exception(failure);
}

template <class T>
std::uint64_t WorkerSteps<T>::seed_of(std::uint64_t seed, std::size_t worker) {
    return worker == 0 ? seed : Philox(seed, RandomUse::dropout, worker).bits(0);
}
template <class T>
void WorkerSteps<T>::wait_for(Worker& worker) const {
    std::exception_ptr failure;
    try {
        worker.wait();
    } catch (...) { failure = std::current_exception(); }
    for (const std::string& line : std::exchange(worker.lines, {})) trainer_.view.print(line);
    if (failure) std::rethrow_exception(failure);
}

// ---- hooks ----

template <class T>
std::uint64_t WorkerSteps<T>::steps_of(std::size_t worker, std::uint64_t number, const BatchPosition& last) const {
    if (!dealt() || count() == 1) return number;
    const auto dealt_to = [&](std::uint64_t batches) { return (batches + count() - 1 - worker) / count(); };
    return last.epoch * dealt_to(batches_.batches().batches_per_epoch()) + dealt_to(last.number + 1);
}

template <class T>
void WorkerSteps<T>::gather(const Moment* moment) {
    wait();
    if (moment == nullptr) return;
    const MomentCounts& now = trainer_.view.counts();
    for (const auto& w : workers_) {
        const std::uint64_t iterations = w->counts[Moment::iteration];
        w->counts = now;
        if (*moment != Moment::reset) w->counts[Moment::iteration] = iterations;
        w->job.runtime = trainer_.view.runtime();
    }
}
template <class T>
void WorkerSteps<T>::listen() {
    for (const auto& w : workers_) listen_to(*w);
}
template <class T>
void WorkerSteps<T>::listen_to(Worker& worker) {
    wait_for(worker);
    if (std::exchange(worker.stops, false)) trainer_.view.stop();
}
template <class T>
void WorkerSteps<T>::meet(std::uint64_t batch) {
    if (!dealt()) return listen();
    listen_to(*workers_[batch % count()]);
}
template <class T>
void WorkerSteps<T>::end_epoch(std::uint64_t epoch) {
    wait();
    for (const auto& w : workers_) {
        w->job.moment = Moment::epoch;
        w->counts[Moment::epoch] = epoch;
        w->begin();
    }
    listen();
}
template <class T>
void WorkerSteps<T>::visit(const AnyFunction<void(const WorkerStatus&)>& f) const {
    for (const auto& w : workers_) {
        WorkerStatus now{.device = w->device, .steps = w->taken, .loss = w->last_loss};
        {
            const std::lock_guard lock(w->mutex);
            now.trains = w->busy;
        }
        const double busy = w->busy_seconds, idle = w->idle_seconds;
        if (busy + idle > 0) {
            now.steps_per_second = static_cast<double>(now.steps) / (busy + idle);
            now.waiting = idle / (busy + idle);
        }
        w->loss_wanted = true;
        f(now);
    }
}
template <class T>
void WorkerSteps<T>::for_each(const AnyFunction<void(TrainerView&)>& f) const {
    wait();
    for (const auto& w : workers_) f(*w->view);
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
        own.seed = dealt() ? now.seed : seed_of(now.seed, i);
        own.shuffling = now.shuffling;
        w.step.set_seed(dealt() ? step_.seed() : seed_of(step_.seed(), i));
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
    if (std::exchange(epoch_, epoch) != epoch) {
        wait();
        for (const auto& w : workers_) w->begin_epoch();
    }
    const auto hand = [&](std::size_t i) {
        Worker& w = *workers_[i];
        wait_for(w);
        w.modifiers.follow(modifiers_);
        w.job.scalars.assign(scalars, scalars + step_.scalar_count());
        w.job.number = number, w.job.epoch = epoch, w.job.batch = batch;
        w.job.iteration = steps_of(i, number, {epoch, batch});
        w.job.moment = Moment::iteration;
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

template <class T>
void WorkerSteps<T>::take_states(const WorkerStates<T>& from) {
    if (!keep_states() || from.of_each.size() != count() || !from.are_of(std::as_const(step_).state_memory())) return;
    wait();
    step_.dual_buffer().upload();  // the average, which the next step would give them
    for (std::size_t i = 0; i < count(); ++i)
        std::ranges::copy(from.of_each[i], workers_[i]->step.dual_buffer().write_all().begin());
}
template <class T>
void WorkerSteps<T>::copy_states(std::vector<std::vector<T>>& to) {
    wait();
    step_.dual_buffer().upload();  // what was set meanwhile, or put back after a failure
    to.clear();
    for (const auto& w : workers_) {
        const std::span<const T> memory = w->step.dual_buffer().read_all();
        to.emplace_back(memory.begin(), memory.end());
    }
}

// ---- losses ----

template <class T>
void WorkerSteps<T>::set_losses(const LossAccumulator& losses) {
    wait();
    for (std::size_t i = 0; i < count(); ++i) workers_[i]->set_losses(i == 0 ? losses : LossAccumulator{});
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
