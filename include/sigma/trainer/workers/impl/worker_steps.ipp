// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/workers/worker_steps.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma::detail {

/// Returns archives as one text, which `unpacked` reads.
inline std::string packed(const std::vector<Archive>& archives) {
    Archive all;
    join_archives(all, archives);
    std::vector<std::uint64_t> sizes{all.words().size(), all.blobs().size()};
    for (const auto& blob : all.blobs()) sizes.push_back(blob.size());
    std::string bytes;
    const auto add = [&](const auto& list) {
        if (!list.empty()) bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
    };
    add(sizes), add(all.words());
    for (const auto& blob : all.blobs()) add(blob);
    return bytes;
}
inline std::vector<Archive> unpacked(const std::string& bytes) {
    std::size_t at = 0;
    const auto take = [&](auto list) {
        if (!list.empty()) std::memcpy(list.data(), bytes.data() + at, list.size() * sizeof list[0]);
        at += list.size() * sizeof list[0];
        return list;
    };
    using Words = std::vector<std::uint64_t>;
    const Words counts = take(Words(2)), sizes = take(Words(counts[1])), words = take(Words(counts[0]));
    std::vector<std::vector<std::byte>> blobs;
    for (const std::uint64_t size : sizes) blobs.push_back(take(std::vector<std::byte>(size)));
    Archive all(words, std::move(blobs));
    return split_archives(all);
}
inline std::string together(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& each : texts) all += each;
    return all;
}

/// A network with its optimizer, and the thread that takes its steps. The run queues steps ahead, up to half a
/// millisecond, so that short steps do not wait for a thread to wake up. A single worker without hooks works on the
/// training thread.
template <class T>
struct WorkerSteps<T>::Worker {
    using Clock = std::chrono::steady_clock;
    const std::size_t number, here;  ///< number among all workers, and among those of this process, from 0
    const WorkerSteps& of;
    SharedOwner<ModelStore<T>> model;
    SharedOwner<ComputeDevice> place;
    StepCore<T> step;
    BatchLoader<T> batches;
    Modifiers<T> modifiers;
    StepRecord<T> record{};
    Owned<DeviceStep<T>> steps;

    struct Job {
        std::vector<double> scalars{};
        std::uint64_t number = 0, epoch = 0, batch = 0;
        std::uint64_t iteration = 0;  ///< steps of this worker
        Moment moment = Moment::iteration;
        bool fires = true;
        double runtime = 0, learning_rate = 0;
    } job{};
    MomentCounts counts{};
    // Losses of the epoch before the sums of `steps` were set to `counted_from`.
    LossAccumulator counted{}, counted_from{};
    bool counts_losses = false;
    std::uint64_t records = 0;  ///< records of this run
    double began = 0;           ///< running time at the beginning of the run
    std::vector<std::string> lines{};
    std::vector<AnyFunction<void()>> after_hooks{};
    bool stops = false;
    const std::string device;
    Relaxed<double> busy_seconds, idle_seconds, last_loss{std::numeric_limits<double>::quiet_NaN()};
    Relaxed<std::uint64_t> taken;
    Relaxed<bool> loss_wanted;
    Owned<View> view;

    // A ring of queued jobs: done … handed - 1.
    static constexpr std::uint64_t most_jobs = 256, nothing = std::numeric_limits<std::uint64_t>::max();
    std::vector<Job> jobs{};
    alignas(64) std::atomic<std::uint64_t> handed{0};
    std::atomic<bool> sleeps{false};
    alignas(64) std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> awaited{nothing};  ///< number of jobs for which the run sleeps
    Relaxed<std::uint64_t> most_ahead{1};
    std::exception_ptr failure{};  ///< exception of a job; later jobs are skipped
    Signal<bool> failed{false};
    std::mutex mutex{};
    std::condition_variable changed{};
    bool stopping = false;
    std::thread thread{};  // last, since it uses all members

    Worker(std::size_t i, const WorkerSteps& all, const Device& where, const Minibatches& minibatches)
        : number(i), here(i - all.first()), of(all),
          model(all.trainer_.hooks.copy_model() ? all.trainer_.hooks.copy_model()()
                                                : SharedOwner<ModelStore<T>>::make(all.model_)),
          place(where.compute_device() ? where.compute_device() : model->host()),
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
        steps =
            make_owned<DeviceStep<T>>(std::span(&place, 1), source, source.plan.outputs.size(), batches, *model, step);
        steps->set_threads(where.processor());
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        if (!thread.joinable()) return;
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        thread.join();
    }

    /// Returns the next job for `hand_out`, on the training thread. Waits until there is room.
    Job& next(bool ahead) {
        if (!thread.joinable()) {
            jobs.resize(most_jobs);
            thread = std::thread([this] { work(); });
        }
        const std::uint64_t all = handed.load(std::memory_order_relaxed), most = ahead ? std::uint64_t{most_ahead} : 1;
        if (all - done.load(std::memory_order_acquire) >= most) wait_for(all - most / 2);
        Job& slot = jobs[all % most_jobs];
        set_time(slot);
        return slot;
    }
    void hand_out() {
        handed.store(handed.load(std::memory_order_relaxed) + 1);
        if (!sleeps.load()) return;
        { const std::lock_guard lock(mutex); }
        changed.notify_all();
    }
    void set_time(Job& to) const {
        to.runtime = of.runtime_;
        to.learning_rate = of.learning_rate_;
        to.fires = !of.repeats_ && !of.trainer_.hooks.empty();
    }
    /// Polls for some microseconds and yields the core, since sleeping and waking takes longer.
    template <class Come>
    static bool come_soon(Come has_come) {
        for (int looked = 0; looked < 100; ++looked) {
            if (has_come()) return true;
            std::this_thread::yield();
        }
        return false;
    }
    /// Waits until so many jobs are done.
    void wait_for(std::uint64_t jobs_done) {
        const auto are_done = [&] { return done.load() >= jobs_done; };
        if (come_soon(are_done)) return;
        std::unique_lock lock(mutex);
        awaited.store(jobs_done);
        changed.wait(lock, are_done);
        awaited.store(nothing, std::memory_order_relaxed);
    }
    void wait() {
        wait_for(handed.load(std::memory_order_relaxed));
        if (!failed) return;
        failed = false;
        std::rethrow_exception(std::exchange(failure, nullptr));
    }
    void work() {
        HookThread::work_for(of.trainer_.view.trainer());  // the run of this trainer waits for this thread
        Clock::time_point since{};
        const auto note = [&](Relaxed<double>& seconds) {
            const auto before = std::exchange(since, Clock::now());
            if (before == Clock::time_point{}) return 0.0;
            const double passed = std::chrono::duration<double>(since - before).count();
            seconds = seconds + passed;
            return passed;
        };
        std::uint64_t at = 0, noted = 0;
        while (true) {
            if (handed.load(std::memory_order_acquire) == at) {
                if (at > noted) note(busy_seconds);
                noted = at;
                const auto is_handed = [&] { return handed.load() != at; };
                if (!come_soon(is_handed)) {
                    std::unique_lock lock(mutex);
                    sleeps.store(true);
                    changed.wait(lock, [&] { return is_handed() || stopping; });
                    sleeps.store(false, std::memory_order_relaxed);
                    if (!is_handed()) return;
                }
                note(idle_seconds);
            }
            if (since == Clock::time_point{}) since = Clock::now();  // the first job came before the thread
            if (!failed) try {
                    Job& slot = jobs[at % most_jobs];
                    std::swap(job, slot);
                    do_job();
                } catch (...) {
                    failure = std::current_exception();
                    failed = true;
                }
            ++at;
            // Limits queued steps to half a millisecond, the longest wait of a reader, a pause or a stop.
            if (const std::uint64_t steps_done = at - noted; steps_done >= std::min<std::uint64_t>(most_ahead, 16)) {
                const double each = note(busy_seconds) / static_cast<double>(steps_done);
                most_ahead = static_cast<std::uint64_t>(std::clamp(5e-4 / std::max(each, 1e-9), 1.0, 256.0));
                noted = at;
            }
            done.store(at);
            if (at < awaited.load()) continue;
            { const std::lock_guard lock(mutex); }
            changed.notify_all();
        }
    }
    void do_job() {
        if (job.moment == Moment::iteration) take_step();
        if (job.fires) fire();
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
    /// Records the data of the step that hooks will read.
    void keep() {
        const bool ends_epoch = job.batch + 1 == batches.batches().batches_per_epoch();
        const Wants wanted = of.trainer_.hooks.wants(here, ends_epoch);
        const std::ptrdiff_t count = wanted.any() ? batches.gather(job.epoch, job.batch) : 0;
        record.before(wanted, *model, job.number, batches.inputs(), batches.targets(), count);
    }
    void fire() {
        of.trainer_.hooks.fire(here, job.moment);
        for (const auto& f : std::exchange(after_hooks, {})) f();
    }

    /// Writes the numbers of a WorkerStatus.
    void write_status(double* to) {
        const bool on_thread_of_run = !thread.joinable();  // never waits
        to[0] = on_thread_of_run || handed.load() != done.load();
        const double works = on_thread_of_run ? of.trainer_.view.runtime() - began : double{busy_seconds};
        const double waits = idle_seconds, all = works + waits;
        to[1] = static_cast<double>(taken);
        to[2] = all > 0 ? to[1] / all : 0;
        to[3] = last_loss;
        to[4] = all > 0 ? waits / all : 0;
        loss_wanted = true;
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

/// The interface of a worker to hooks: on its thread, or on the training thread while the worker waits.
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
    void after_hooks(AnyFunction<void()> f) override { worker_.after_hooks.push_back(of_acting_hook(std::move(f))); }
    // These would act on all workers.
    void set_learning_rate(double) override { refuse("learning rate"); }
    void pause() override { refuse("pause"); }
    void reset() override { refuse("reset"); }
    void post(AnyFunction<void()>) override { refuse("post"); }
    void save_after_hooks(std::string) override { refuse("save"); }
    void load_after_hooks(std::string) override { refuse("restore"); }
    void load_parameters(const std::string&, const ParameterChoice&) override { refuse("restore_parameters"); }
    std::vector<std::byte> checkpoint() override { return refuse("checkpoint"), std::vector<std::byte>(); }
    void write_checkpoint(const std::vector<std::byte>&, const std::string&) const override { refuse("save"); }
    void freeze(std::string_view) override { refuse("freeze"); }
    void unfreeze(std::string_view) override { refuse("unfreeze"); }

    ComputedValue find_computed(const ValueRecord& value) const override { return find_computed_in_worker(value); }
    ComputedValue find_computed_in_worker(const ValueRecord& value) const override {
        return worker_.of.trainer_.hooks.find_computed(worker_.here, value);
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
    KeptTensor output(int layer) override { return worker_.record.output(layer, worker_.job.number); }

private:
    Worker& worker_;

    const TrainerView& trainer() const { return worker_.of.trainer_.view; }
    void refuse(const char* what) const {
        throw StateError(sentence(what, " of trainer '", name(), "'"), "a hook over all workers",
                         sentence("a hook in worker ", worker()));
    }
};

template <class T>
struct WorkerSteps<T>::Kept {
    struct Source final : BufferSource {
        WorkerSteps& of;
        bool states;
        Source(WorkerSteps& steps, bool of_states) : of(steps), states(of_states) {}
        void download(int first, int end) override { of.download(states, first, end); }
        void upload(int first, int end) override { of.upload(states, first, end); }
    };
    Source parameters, states;
    MadeCalls<T> calls{};  ///< compiled merging expressions

    explicit Kept(WorkerSteps& of) : parameters(of, false), states(of, true) {}
};

/// An order of rank 0 to all processes.
template <class T>
struct WorkerSteps<T>::Order {
    enum class Kind : std::uint64_t {
        step,
        wait,
        meet,
        halt,
        moment,
        epoch,
        rules,
        merge,
        upload,
        spread,
        losses,
        set_losses,
        to_worker,
        from_worker,
        read,
        status,
        fire,
        restart,
        remove,
        archives,
        restore,
        end
    } kind;
    std::uint64_t number = 0;  ///< number of a step, a worker, a group of hooks, or a reading
    std::uint64_t epoch = 0, batch = 0;
    std::uint64_t states = 0, first = 0, end = 0;  ///< range of tensors
    std::uint64_t seed = 0, batch_seed = 0, shuffling = 0, repeats = 0;
    double runtime = 0, learning_rate = 0;
    LossAccumulator losses{};
    Moment moment{};
    MomentCounts counts{};
};

template <class T>
WorkerSteps<T>::WorkerSteps(const WorkerSet& workers, const BatchLoader<T>& batches, ModelStore<T>& model,
                            StepCore<T>& step, Modifiers<T>& modifiers, const TrainerInterface<T>& trainer,
                            const BatchPosition& next, const AlikeMachines& machines)
    : model_(model), step_(step), batches_(batches), modifiers_(modifiers), trainer_(trainer),
      options_(workers.options), firsts_{0, workers.devices.size()}, kept_(make_owned<Kept>(*this)),
      epoch_(next.epoch) {
    if (machines.machines != nullptr && machines.machines->count() > 1) group_ = machines.machines->group;
    const auto made = [&] { make(workers, next, machines); };
    group_ ? with_others(*group_, made) : made();
    halt();
}
template <class T>
void WorkerSteps<T>::make(const WorkerSet& workers, const BatchPosition& next, const AlikeMachines& machines) {
    check_mergers("merge of workers", options_.mergers, model_.network());
    struct {
        BatchPosition next;
        std::uint64_t iteration;
        MomentCounts counts;
    } begin{next, trainer_.view.iteration(), trainer_.view.counts()};
    runtime_ = trainer_.view.runtime();
    learning_rate_ = trainer_.view.learning_rate();
    if (group_) {
        const double patience = machines.machines->options.patience;
        require_alike(*group_, machines.identity + identity(), patience);
        group_->broadcast(&begin, sizeof begin);
        group_->broadcast(&runtime_, sizeof runtime_);
        group_->broadcast(&learning_rate_, sizeof learning_rate_);
        std::vector<std::uint64_t> counts(static_cast<std::size_t>(group_->count()));
        std::vector<std::size_t> places(counts.size() + 1);
        for (std::size_t r = 0; r < counts.size(); ++r) places[r + 1] = (r + 1) * sizeof counts[0];
        counts[rank()] = workers.devices.size();
        group_->gather(counts.data(), places);
        firsts_ = {0};
        for (const std::uint64_t n : counts) firsts_.push_back(firsts_.back() + n);
    }
    epoch_ = begin.next.epoch;
    stops_.resize(count());
    std::string devices;
    for (const Device& device : workers.devices) {
        Minibatches own = batches_.batches();
        own.prefetch = 0;
        workers_.push_back(make_owned<Worker>(first() + workers_.size(), *this, device, own));
        devices += workers_.back()->device + '\n';
    }
    for (std::string_view all = group_ ? devices = together(group_->texts(devices, 1e9)) : devices; !all.empty();) {
        devices_.emplace_back(all.substr(0, all.find('\n')));
        all.remove_prefix(devices_.back().size() + 1);
    }
    std::vector<WorkerParts<T>> parts;
    for (const auto& w : workers_) {
        const BatchPosition& at = begin.next;
        w->counts = begin.counts;
        if (at.number > 0 || at.epoch > 0)  // counts steps up to the one before, which may be the last of an epoch
            w->counts[Moment::iteration] =
                steps_of(w->number, begin.iteration,
                         at.number > 0 ? BatchPosition{at.epoch, at.number - 1}
                                       : BatchPosition{at.epoch - 1, batches_.batches().batches_per_epoch() - 1});
        w->job.runtime = w->began = runtime_;
        w->job.learning_rate = learning_rate_;
        parts.push_back({*w->view, *w->model, w->step, w->record});
    }
    if (!follows()) {
        model_.dual_buffer().attach(kept_->parameters);
        step_.dual_buffer().attach(kept_->states);
    }
    trainer_.hooks.enter(parts, *this);
}
template <class T>
WorkerSteps<T>::~WorkerSteps() {
    static_cast<void>(wait_for_workers());
    try {
        listen();
    } catch (...) {  // the run has ended for another reason
    }
    trainer_.hooks.leave();
}

/// Returns the text of the run that must be equal in all processes.
template <class T>
std::string WorkerSteps<T>::identity() const {
    std::string text =
        sentence("\nmerge_every of workers: ", options_.merge_every, "\ndata of workers: ", dealt() ? "dealt" : "whole",
                 "\nmerge_states of workers: ", options_.merge_states ? "yes" : "no");
    for (const Merger& m : options_.mergers) text += sentence("\nmerger: '", m.pattern, "' by ", m.text);
    return text + trainer_.hooks.text();
}

template <class T>
DualBuffer<T>& WorkerSteps<T>::memory(Worker& worker, bool states) {
    return states ? worker.step.dual_buffer() : worker.model->dual_buffer();
}
template <class T>
std::uint64_t WorkerSteps<T>::seed_of(std::uint64_t seed, std::size_t worker) {
    return worker == 0 ? seed : Philox(seed, RandomUse::dropout, worker).bits(0);
}

// ---- orders ----

template <class T>
void WorkerSteps<T>::order(Order order) {
    order.repeats = repeats_;
    // Frequent steps without hooks in workers need neither.
    if (group_ || !trainer_.hooks.empty() || order.kind != Order::Kind::step) {
        order.runtime = trainer_.view.runtime();
        order.learning_rate = trainer_.view.learning_rate();
    }
    if (group_) {
        const auto add = [&](const void* data, std::size_t bytes) {
            const auto* const from = static_cast<const std::byte*>(data);
            orders_.insert(orders_.end(), from, from + bytes);
        };
        add(&order, sizeof order);
        scalars_.resize(static_cast<std::size_t>(step_.scalar_count()));
        add(scalars_.data(), scalars_.size() * sizeof(double));
        // Sends orders for steps in batches, one step for each worker, unless a hook needs a reply.
        const bool waits =
            order.kind == Order::Kind::step && dealt() && trainer_.hooks.empty() && (order.batch + 1) % count() != 0;
        if (!waits) broadcast(*group_, orders_), orders_.clear();
    }
    execute(order);
}

template <class T>
std::vector<std::byte> WorkerSteps<T>::follow() {
    Order order{};
    scalars_.resize(static_cast<std::size_t>(step_.scalar_count()));
    const std::size_t bytes = scalars_.size() * sizeof(double);
    while (order.kind != Order::Kind::end) {
        broadcast(*group_, orders_);
        for (std::size_t at = 0; at < orders_.size(); at += sizeof order + bytes) {
            std::memcpy(&order, orders_.data() + at, sizeof order);
            if (bytes > 0) std::memcpy(scalars_.data(), orders_.data() + at + sizeof order, bytes);
            execute(order);
        }
    }
    std::vector<std::byte> result;
    broadcast(*group_, result);
    return result;
}
template <class T>
void WorkerSteps<T>::end(std::vector<std::byte> result) {
    if (!group_) return;
    trainer_.hooks.leave();
    order({Order::Kind::end});
    broadcast(*group_, result);
    ended_ = true;
}

template <class T>
void WorkerSteps<T>::execute(const Order& o) {
    using Kind = typename Order::Kind;
    const auto tensors = [&](auto f) { (this->*f)(o.states != 0, static_cast<int>(o.first), static_cast<int>(o.end)); };
    const auto number = static_cast<std::size_t>(o.number);
    runtime_ = o.runtime, learning_rate_ = o.learning_rate, repeats_ = o.repeats != 0;
    switch (o.kind) {
        case Kind::step:
            if (std::exchange(epoch_, o.epoch) != o.epoch)
                for (const auto& w : workers_) w->begin_epoch();
            for (const auto& w : workers_)
                if (!dealt() || w->number == o.batch % count()) queue_order(*w, o);
            break;
        case Kind::wait:
        case Kind::meet: {
            const Worker* const only = o.kind == Kind::meet ? own(number) : nullptr;
            const auto failure = o.kind == Kind::wait || only != nullptr ? wait_for_workers(only) : nullptr;
            if (o.kind == Kind::wait || only != nullptr || group_) collect_requests(o.kind == Kind::meet, only);
            if (failure) std::rethrow_exception(failure);
            break;
        }
        case Kind::halt:  // the seed or the position may have changed
            for (const auto& w : workers_) {
                w->steps->halt();
                w->batches.halt();
                Minibatches& own = w->batches.batches();
                own.seed = dealt() ? o.batch_seed : seed_of(o.batch_seed, w->number);
                own.shuffling = o.shuffling != 0;
                w->step.set_seed(dealt() ? o.seed : seed_of(o.seed, w->number));
            }
            break;
        case Kind::moment:
            for (const auto& w : workers_) {
                const std::uint64_t iterations = w->counts[Moment::iteration];
                w->counts = o.counts;
                if (o.moment != Moment::reset) w->counts[Moment::iteration] = iterations;
                w->job.runtime = o.runtime;
                w->job.learning_rate = o.learning_rate;
            }
            break;
        case Kind::epoch:
            for (const auto& w : workers_) {
                w->counts[Moment::epoch] = o.epoch;
                if (trainer_.hooks.empty()) continue;
                typename Worker::Job& job = w->next(false);
                job = w->job;  // the last step
                w->set_time(job);
                job.moment = Moment::epoch;
                w->hand_out();
            }
            break;
        case Kind::rules: {
            std::vector<std::uint64_t> rules = modifiers_.rules();
            broadcast(*group_, rules);
            if (follows()) modifiers_.set_rules(rules);
            break;
        }
        case Kind::merge: tensors(&WorkerSteps::merge_here); break;
        case Kind::upload:
            if (group_) {
                DualBuffer<T>& m = memory(o.states != 0);
                const int first = static_cast<int>(o.first), last = static_cast<int>(o.end) - 1;
                group_->broadcast(m.place(first), (m.offset(last) + m.size(last) - m.offset(first)) * sizeof(T));
            }
            [[fallthrough]];
        case Kind::spread: tensors(&WorkerSteps::give_here); break;
        case Kind::losses:
            gather(4 + static_cast<std::size_t>(model_.network().costs.size()), [&](Worker& w, double* to) {
                const LossAccumulator sum = w.steps->fetch();
                *to++ = sum.total, *to++ = static_cast<double>(sum.records);
                *to++ = static_cast<double>(sum.first_non_finite), *to++ = w.steps->loss();
                for (int c = 0; c < model_.network().costs.size(); ++c) *to++ = w.steps->loss(c);
            });
            break;
        case Kind::set_losses:
            for (const auto& w : workers_) w->set_losses(w->number == 0 ? o.losses : LossAccumulator{});
            break;
        case Kind::to_worker:
        case Kind::from_worker: pass_state(number, o.kind == Kind::to_worker); break;
        case Kind::read:
            // Orders for steps without hooks in workers do not contain these.
            for (const auto& w : workers_) w->job.runtime = o.runtime, w->job.learning_rate = o.learning_rate;
            gather(1, [&](Worker& w, double* to) { *to = trainer_.view.read(static_cast<int>(o.number), *w.view); });
            break;
        case Kind::status: gather(5, [](Worker& w, double* to) { w.write_status(to); }); break;
        case Kind::fire: trainer_.hooks.fire_here(number, o.moment); break;
        case Kind::restart: trainer_.hooks.restart_here(number); break;
        case Kind::remove: trainer_.hooks.remove_here(number); break;
        case Kind::archives:
        case Kind::restore: pass_archives(number, o.kind == Kind::restore); break;
        case Kind::end: break;
    }
}

/// Calls f, then `then`, then rethrows an exception of f.
template <class F, class Then>
void and_then(F f, Then then) {
    std::exception_ptr failure;
    try {
        f();
    } catch (...) { failure = std::current_exception(); }
    then();
    if (failure) std::rethrow_exception(failure);
}
template <class T>
void WorkerSteps<T>::gather_here(void* data, std::size_t bytes_of_each) {
    if (!group_) return;
    std::vector<std::size_t> places;
    for (const std::size_t first : firsts_) places.push_back(first * bytes_of_each);
    group_->gather(data, places);
}
template <class T>
template <class F>
void WorkerSteps<T>::gather(std::size_t of_each, F f) {
    numbers_.assign(count() * of_each, 0);
    and_then(
        [&] {
            for (const auto& w : workers_) f(*w, numbers_.data() + w->number * of_each);
        },
        [&] { gather_here(numbers_.data(), of_each * sizeof(double)); });
}

template <class T>
std::exception_ptr WorkerSteps<T>::wait_for_workers(const Worker* only) const {
    std::exception_ptr failure;
    for (const auto& w : workers_)
        if (only == nullptr || only == w.get()) try {
                w->wait();
            } catch (...) { failure = std::current_exception(); }
    return failure;
}
template <class T>
void WorkerSteps<T>::wait() {
    order({Order::Kind::wait});
}

// ---- hooks ----

/// Gathers lines and stops of hooks in workers. Rank 0 prints the lines.
template <class T>
void WorkerSteps<T>::collect_requests(bool one, const Worker* only) {
    if (trainer_.hooks.empty()) return;
    std::vector<std::uint64_t> requests(2 * count());
    std::string own;
    for (const auto& w : workers_)
        if (!one || only == w.get()) {
            const std::size_t before = own.size();
            for (const std::string& line : std::exchange(w->lines, {})) own.append(line) += '\0';
            requests[2 * w->number] = own.size() - before;
            requests[2 * w->number + 1] = std::exchange(w->stops, false);
        }
    gather_here(requests.data(), 2 * sizeof requests[0]);
    std::vector<std::size_t> places{0};
    for (std::size_t r = 0; r + 1 < firsts_.size(); ++r) {
        places.push_back(places.back());
        for (std::size_t w = firsts_[r]; w < firsts_[r + 1]; ++w) places.back() += requests[2 * w];
    }
    std::string all(places.back(), '\0');
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(places[rank()]));
    if (group_ && !all.empty()) group_->gather(all.data(), places);
    if (follows()) return;
    for (std::size_t w = 0; w < count(); ++w)
        if (requests[2 * w + 1] != 0) stops_[w] = true;
    for (std::string_view left = all; !left.empty();) {
        const std::string_view line = left.substr(0, left.find('\0'));
        trainer_.view.print(line);
        left.remove_prefix(line.size() + 1);
    }
}

template <class T>
std::uint64_t WorkerSteps<T>::steps_of(std::size_t worker, std::uint64_t number, const BatchPosition& last) const {
    if (!dealt() || count() == 1) return number;
    const auto dealt_to = [&](std::uint64_t batches) { return (batches + count() - 1 - worker) / count(); };
    return last.epoch * dealt_to(batches_.batches().batches_per_epoch()) + dealt_to(last.number + 1);
}

template <class T>
void WorkerSteps<T>::gather(const Moment* moment) {
    if (idle()) return;
    wait();
    if (moment == nullptr) return;
    Order o{Order::Kind::moment};
    o.moment = *moment;
    o.counts = trainer_.view.counts();
    order(o);
}
template <class T>
void WorkerSteps<T>::execute_requests(std::size_t worker) {
    if (!stops_[worker]) return;
    stops_[worker] = false;
    trainer_.view.stop();
}
template <class T>
void WorkerSteps<T>::listen() {
    if (idle()) return;
    wait();
    for (std::size_t i = 0; i < count(); ++i) execute_requests(i);
}
template <class T>
void WorkerSteps<T>::meet(std::uint64_t batch) {
    // Without hooks in workers there is nothing to collect, except a failure.
    if (idle() || (trainer_.hooks.empty() && (group_ || !own(batch % count())->failed))) return;
    if (!dealt()) return listen();
    order({Order::Kind::meet, batch % count()});
    execute_requests(batch % count());
}
template <class T>
void WorkerSteps<T>::end_epoch(std::uint64_t epoch) {
    wait();
    order({.kind = Order::Kind::epoch, .epoch = epoch});
    listen();
}
template <class T>
void WorkerSteps<T>::visit(const AnyFunction<void(const WorkerStatus&)>& f) {
    if (idle()) return;
    order({Order::Kind::status});
    for (std::size_t i = 0; i < count(); ++i) {
        const double* const now = numbers_.data() + 5 * i;
        f({devices_[i], now[0] != 0, static_cast<std::uint64_t>(now[1]), now[2], now[3], now[4]});
    }
}
template <class T>
void WorkerSteps<T>::for_each(const AnyFunction<void(TrainerView&)>& f) {
    if (!idle()) wait();
    for (const auto& w : workers_) f(*w->view);
}
template <class T>
std::vector<double> WorkerSteps<T>::read(int reading) {
    if (idle()) return {};
    wait();
    order({Order::Kind::read, static_cast<std::uint64_t>(reading)});
    return numbers_;
}

template <class T>
void WorkerSteps<T>::fire(std::size_t group, Moment moment) {
    order({.kind = Order::Kind::fire, .number = group, .moment = moment});
}
template <class T>
void WorkerSteps<T>::restart(std::size_t group) {
    order({Order::Kind::restart, group});
}
template <class T>
void WorkerSteps<T>::remove(std::size_t group) {
    order({Order::Kind::remove, group});
}
template <class T>
std::vector<Archive> WorkerSteps<T>::archives(std::size_t group) {
    order({Order::Kind::archives, group});
    return std::exchange(archives_, {});
}
template <class T>
void WorkerSteps<T>::restore(std::size_t group, const std::vector<Archive>& of_each) {
    archives_ = of_each;
    order({Order::Kind::restore, group});
    archives_.clear();
}
template <class T>
void WorkerSteps<T>::share(std::vector<Archive>& of_each) {
    if (!group_) return;
    std::string bytes = packed(of_each);
    broadcast(*group_, bytes);
    of_each = unpacked(bytes);
}
template <class T>
void WorkerSteps<T>::pass_archives(std::size_t group, bool to_workers) {
    if (to_workers) {
        share(archives_);
        return trainer_.hooks.restore_here(group, std::span(archives_).subspan(first(), workers_.size()));
    }
    std::vector<Archive> own;
    and_then([&] { own = trainer_.hooks.archives_here(group); },
             [&] {
                 archives_.clear();
                 if (!group_) archives_ = own;
                 else
                     for (const std::string& bytes : group_->texts(packed(own), 1e9))
                         for (Archive& each : unpacked(bytes)) archives_.push_back(std::move(each));
             });
}

// ---- steps ----

template <class T>
void WorkerSteps<T>::halt() {
    if (idle()) return;
    wait();
    const Minibatches& now = batches_.batches();
    order({.kind = Order::Kind::halt, .seed = step_.seed(), .batch_seed = now.seed, .shuffling = now.shuffling});
}

template <class T>
std::uint64_t WorkerSteps<T>::update_of(std::uint64_t number) {
    return dealt() ? (number - 1) / count() + 1 : number;
}

template <class T>
void WorkerSteps<T>::queue_order(Worker& w, const Order& o) {
    const bool follows_rules = w.modifiers.version() == modifiers_.version();
    // Queues nothing ahead if data are read in blocks or parameters are modified, which may fail, or if hooks may stop.
    const bool ahead =
        follows_rules && trainer_.hooks.empty() && !w.modifiers.modifies() && batches_.batches().dataset.in_memory();
    if (!ahead || w.failed)
        if (const auto failure = wait_for_workers(&w)) std::rethrow_exception(failure);
    if (!follows_rules) w.modifiers.follow(modifiers_);
    const bool alone = count() == 1 && !group_ && trainer_.hooks.empty();
    auto& job = alone ? w.job : w.next(ahead);
    job.scalars = scalars_;
    job.number = o.number, job.epoch = o.epoch, job.batch = o.batch;
    job.iteration = steps_of(w.number, o.number, {o.epoch, o.batch});
    job.moment = Moment::iteration;
    if (!alone) return w.hand_out();
    w.set_time(job);
    w.do_job();
}
template <class T>
std::ptrdiff_t WorkerSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                    std::uint64_t batch) {
    model_.dual_buffer().upload();
    step_.dual_buffer().upload();
    if (epoch_ != epoch) wait();
    if (group_ && std::exchange(rules_, modifiers_.version() + 1) != modifiers_.version() + 1) {
        wait();
        order({Order::Kind::rules});
    }
    scalars_.assign(scalars, scalars + step_.scalar_count());
    order({.kind = Order::Kind::step, .number = number, .epoch = epoch, .batch = batch});
    last_ = dealt() ? static_cast<std::size_t>(batch % count()) : 0;
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

// ---- parameters and states ----

template <class T>
void WorkerSteps<T>::merge() {
    if (idle() || std::exchange(steps_since_, 0) == 0) return;
    for (const bool states : {false, true}) {
        memory(states).upload();
        static_cast<void>(memory(states).read_all());
        if (states && !options_.merge_states) continue;
        wait();
        order({.kind = Order::Kind::spread,
               .states = states,
               .first = 0,
               .end = static_cast<std::uint64_t>(memory(states).count())});
    }
}

template <class T>
void WorkerSteps<T>::download(bool states, int first, int end) {
    // Hyperparameters of the network, which follow the parameters, are equal in all workers.
    if (!states) end = std::min(end, model_.network().parameters.size());
    if (idle() || first >= end) return;
    wait();
    order({.kind = Order::Kind::merge,
           .states = states,
           .first = static_cast<std::uint64_t>(first),
           .end = static_cast<std::uint64_t>(end)});
}

/// A piece of the memory of all tensors that is merged at once: elements begin … end - 1.
template <class T>
struct WorkerSteps<T>::Piece {
    int tensor, last;  ///< the same tensor, or a range of adjacent ones for elementwise mergers
    std::size_t begin, end;
    const Merger* by;
};
template <class T>
void WorkerSteps<T>::merge_here(bool states, int first, int end) {
    // Processes share the work. Each receives its share from all others, at most this much at a time.
    constexpr std::size_t most = std::size_t{1} << 22, piece = std::size_t{1} << 16;
    const DualBuffer<T>& all = memory(states);
    std::vector<Piece> pieces;
    for (int i = first; i < end; ++i) {
        const Merger* by =
            states ? &merger_of("", {}) : &merger_of(model_.network().parameters[i].name.view(), options_.mergers);
        const std::size_t to = all.offset(i) + all.size(i);
        const std::size_t step = group_ && by->elementwise ? piece : all.size(i);
        for (std::size_t at = all.offset(i); at < to; at += step)
            pieces.push_back({i, i, at, std::min(at + step, to), by});
        if (group_ || !by->elementwise || pieces.size() < 2) continue;
        if (Piece& before = pieces[pieces.size() - 2]; before.by == by && before.end == pieces.back().begin) {
            before.last = i, before.end = to;
            pieces.pop_back();
        }
    }
    for (std::span<const Piece> left = pieces; !left.empty();) {
        std::size_t count = 1;
        while (count < left.size() && (!group_ || left[count].end - left[0].begin <= most)) ++count;
        merge_pieces(states, left.first(count));
        left = left.subspan(count);
    }
}
template <class T>
void WorkerSteps<T>::merge_pieces(bool states, std::span<const Piece> pieces) {
    const std::size_t ranks = firsts_.size() - 1, begin = pieces.front().begin, size = pieces.back().end - begin;
    // Rank r merges pieces shares[r] … shares[r + 1] - 1.
    std::vector<std::size_t> shares, elements, from{0}, to{0};
    for (std::size_t r = 0, at = 0; r <= ranks; ++r) {
        while (at < pieces.size() && pieces[at].begin - begin < size * r / ranks) ++at;
        shares.push_back(r == ranks ? pieces.size() : at);
        elements.push_back(shares.back() == pieces.size() ? size : pieces[shares.back()].begin - begin);
    }
    const std::size_t own_begin = begin + elements[rank()], own_size = elements[rank() + 1] - elements[rank()];
    std::vector<T> sent, got;
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t share = r == rank() ? 0 : elements[r + 1] - elements[r];
        for (const auto& w : workers_)
            if (share > 0) {
                const T* const values = memory(*w, states).read_all().data() + begin + elements[r];
                sent.insert(sent.end(), values, values + share);
            }
        from.push_back(sent.size() * sizeof(T));
        to.push_back(to.back() + (r == rank() ? 0 : firsts_[r + 1] - firsts_[r]) * own_size * sizeof(T));
    }
    got.resize(to.back() / sizeof(T));
    if (group_) group_->exchange(sent.data(), from, got.data(), to);
    T* const result = memory(states).place(0) - memory(states).offset(0);
    const auto merge_own = [&] {
        for (const Piece& piece : pieces.subspan(shares[rank()], shares[rank() + 1] - shares[rank()])) {
            std::vector<const T*> values;
            std::size_t other = piece.begin - own_begin;
            for (std::size_t i = 0; i < count(); ++i) {
                Worker* const w = own(i);
                for (int t = piece.tensor; w != nullptr && t <= piece.last; ++t) memory(*w, states).read(t);
                values.push_back(w ? memory(*w, states).place(0) - memory(states).offset(0) + piece.begin
                                   : got.data() + other);
                if (!w) other += own_size;
            }
            if (values.size() == 1 && piece.by->text == "average") {
                std::copy_n(values[0], piece.end - piece.begin, result + piece.begin);
                continue;
            }
            // Compiled programs are kept by their shapes, except those of user expressions.
            MadeCalls<T> apart;
            merge_values<T>(*piece.by, values, piece.end - piece.begin, result + piece.begin,
                            piece.by->pattern == "*" && piece.by->text == "average" ? kept_->calls : apart);
        }
    };
    and_then(merge_own, [&] {
        for (std::size_t& e : elements) e *= sizeof(T);
        if (group_) group_->gather(result + begin, elements);
    });
}

template <class T>
void WorkerSteps<T>::upload(bool states, int first, int end) {
    if (idle()) return;
    wait();
    order({.kind = Order::Kind::upload,
           .states = states,
           .first = static_cast<std::uint64_t>(first),
           .end = static_cast<std::uint64_t>(end)});
}
template <class T>
void WorkerSteps<T>::give_here(bool states, int first, int end) {
    for (const auto& w : workers_)
        for (int i = first; i < end; ++i)
            std::copy_n(memory(states).place(i), memory(states).size(i), memory(*w, states).write(i));
}

template <class T>
void WorkerSteps<T>::take_states(const WorkerStates<T>& from) {
    if (!keep_states() || from.of_each.size() != count() || !from.are_of(std::as_const(step_).state_memory())) return;
    wait();
    step_.dual_buffer().upload();  // otherwise the next step would give the workers the average
    for (std::size_t i = 0; i < count(); ++i) {
        passed_ = from.of_each[i];
        order({Order::Kind::to_worker, i});
    }
}
template <class T>
void WorkerSteps<T>::copy_states(std::vector<std::vector<T>>& to) {
    wait();
    step_.dual_buffer().upload();  // states that were set meanwhile, or restored after a failure
    to.clear();
    for (std::size_t i = 0; i < count(); ++i) {
        order({Order::Kind::from_worker, i});
        to.push_back(std::move(passed_));
    }
}
template <class T>
void WorkerSteps<T>::pass_state(std::size_t worker, bool to_worker) {
    Worker* const w = own(worker);
    const std::size_t size = step_.dual_buffer().size();
    passed_.resize(size);
    if (to_worker) {
        if (group_) group_->broadcast(passed_.data(), size * sizeof(T));
        if (w) std::ranges::copy(passed_, w->step.dual_buffer().write_all().begin());
        return;
    }
    if (w) std::ranges::copy(w->step.dual_buffer().read_all(), passed_.begin());
    if (worker < firsts_[1]) return;  // in rank 0
    std::vector<std::size_t> from(firsts_.size(), w ? size * sizeof(T) : 0), to(firsts_.size(), 0);
    from[0] = 0;
    for (std::size_t r = 1; r < to.size() && !follows(); ++r) to[r] = firsts_[r] > worker ? size * sizeof(T) : 0;
    T nothing{};  // since the two buffers must differ
    group_->exchange(w ? passed_.data() : &nothing, from, w ? &nothing : passed_.data(), to);
}

// ---- losses ----

template <class T>
void WorkerSteps<T>::set_losses(const LossAccumulator& losses) {
    if (idle()) return;
    wait();
    order({.kind = Order::Kind::set_losses, .losses = losses});
    pending_ = false;
}
template <class T>
LossAccumulator WorkerSteps<T>::fetch() {
    wait();
    order({Order::Kind::losses});
    losses_ = numbers_;
    LossAccumulator all;
    for (std::size_t i = 0; i < count(); ++i) {
        const double* const of = losses_of(i);
        const auto first_non_finite = static_cast<std::uint64_t>(of[2]);
        all.total += of[0];
        all.records += static_cast<std::uint64_t>(of[1]);
        if (first_non_finite > 0 && (all.first_non_finite == 0 || first_non_finite < all.first_non_finite))
            all.first_non_finite = first_non_finite;
    }
    pending_ = false;
    return all;
}
template <class T>
double WorkerSteps<T>::loss_at(std::size_t place) const {
    if (losses_.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (dealt()) return losses_of(last_)[place];
    double all = 0;
    for (std::size_t i = 0; i < count(); ++i) all += losses_of(i)[place] / static_cast<double>(count());
    return all;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::WorkerSteps);
