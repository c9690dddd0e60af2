// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/mutex.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/signal.hpp>
#include <sigma/data/pipeline/typed.hpp>
#include <sigma/hook/misfit.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/storage/atomic_file.hpp>
#include <sigma/trainer/accelerated_training.hpp>
#include <sigma/trainer/beginning.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/commands.hpp>
#include <sigma/trainer/hook_list.hpp>
#include <sigma/trainer/parallel_training.hpp>
#include <sigma/trainer/training.hpp>
#include <sigma/trainer/uses.hpp>
#include <sigma/worker/device_group.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace sigma {

namespace detail {
template <class Trainer>
class TrainerRegistry;
}  // namespace detail

/// Selects the element type of a trainer: `Trainer trainer("iris", Iris{}, Adam{}, batches, element<double>)`.
template <class T>
struct Element {};
template <class T>
inline constexpr Element<T> element{};

/// Trains a network on minibatches with an optimizer. One seed decides initial parameters, dropout and, through the
/// minibatches, the order of records; the same seed gives the same bits on any number of threads.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class Trainer : public detail::Commands, public detail::Uses<Trainer<N, O, T>, N, T> {
public:
    using Callback = detail::AnyFunction<void(Trainer&)>;

    Trainer(std::string name, N, O optimizer_, Minibatches batches, Element<T> = {}, std::uint64_t seed = 0)
        : Commands(name, [this](ControlEvent event) { handle(event); }), optimizer(optimizer_), first_optimizer_(optimizer_),
          name_(std::move(name)), training_(std::move(batches), seed) {
        require_own_classes();
    }
    /// Records whose extents the compiler knows: those that the network does not take do not compile.
    template <class S, class Why = detail::Refused<N, S>>
        requires(!detail::takes<N, S>)
#ifdef __clang__  // names no template arguments of what is deleted, but those of immediate functions
    consteval Trainer(std::string, N, O, const data::MinibatchesOf<S>&, Element<T> = {}, std::uint64_t = 0);
#else
    Trainer(std::string, N, O, const data::MinibatchesOf<S>&, Element<T> = {}, std::uint64_t = 0) = delete;
#endif
    ~Trainer() {
        control_.close();  // what hooks in the background want of it from now on is refused
        if (close_registry_) close_registry_();  // waits for its readers
        hooks_.changed = nullptr;
        hooks_.clear();
    }
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Hyper-parameters; they may change between steps. Those that make no sense are refused when a run or an epoch
    /// begins.
    O optimizer;

    /// Draws anew the parameters whose names match: `initialize("*.weights", gaussian(0.1))`. Of all patterns that were given
    /// the most specific one that matches a parameter decides, in whatever order they came; of two alike the later.
    void initialize(std::string_view pattern, const Initializer& initializer) {
        initializers_.emplace_back(pattern, initializer);
        const int matched = draw(pattern);
        if (matched == 0) initializers_.pop_back();
        check_matched("initialize", pattern, matched);
    }
    /// Changes the matching parameters after every step from now on, `modify("*.weights", clip(-1, 1))`; several modifiers
    /// act in the order they were given. `unmodify` takes them away from the parameters that match.
    template <ModifierOf<T> M>
    void modify(std::string_view pattern, M modifier) {
        check_matched("modify", pattern, training_.constraints.modify(pattern, std::move(modifier), iteration()));
    }
    void unmodify(std::string_view pattern) { check_matched("unmodify", pattern, training_.constraints.unmodify(pattern, iteration())); }
    /// The matching parameters, and what the optimizer keeps for them, stay what they are, bit by bit, until `unfreeze`:
    /// neither steps nor modifiers change them.
    void freeze(std::string_view pattern) { check_matched("freeze", pattern, training_.constraints.freeze(pattern, iteration())); }
    void unfreeze(std::string_view pattern) { check_matched("unfreeze", pattern, training_.constraints.unfreeze(pattern, iteration())); }
    bool frozen(int parameter) const { return training_.constraints.frozen(parameter); }
    /// To be called by who has changed parameters between two steps of a run: steps before cannot be repeated any more.
    void parameters_changed() {
        training_.begin_here();
    }

    // ---- hooks ----

    /// Sentences: `add(every(1, epoch).then(score(validation), report(error, accuracy)), when(…).then(stop))`. Those that
    /// are added together share the values they compute, and their order follows from what they read and compute; what
    /// does not fit together does not compile. Returns a number for `remove`.
    template <class... H>
        requires(detail::fit<Trainer, H...>())
    int add(H... hooks) {
        return hooks_.add(make_hook_group(*this, std::move(hooks)...));
    }
    template <class... H>
        requires(!detail::fit<Trainer, H...>())
    auto add(H... hooks) -> decltype(detail::called(detail::misfit_of<Trainer, H...>()));
    /// Takes away hooks that were added together; by a hook, when those of this moment are through.
    void remove(int number) {
        if (!hooks_.remove(number))
            throw ArgumentError(sentence("remove of trainer '", name_, "'"), "the number of hooks that were added", sentence(number));
    }
    /// Called after every step, and after every epoch, in the order of registration and after the hooks.
    void on_iteration(Callback f) { on_iteration_.push_back(std::move(f)); }
    void on_epoch(Callback f) { on_epoch_.push_back(std::move(f)); }
    /// What `report` and others write to, a line at a time; the terminal unless changed.
    detail::AnyFunction<void(std::string_view)> output;
    /// Writes a line; from any thread.
    void print(std::string_view line) {
        const detail::Lock lock(print_mutex_);
        if (output) output(line);
        else std::printf("%.*s\n", static_cast<int>(line.size()), line.data()), std::fflush(stdout);
    }

    // ---- runs ----

    /// Trains for `epochs` more epochs, or until `stop`: a run goes on where the one before has ended, also within an
    /// epoch. Throws NumericError when the loss or a parameter is no finite number any more; parameters and states are
    /// then those before the step in which it happened. Throws ArgumentError where a number of the optimizer is none
    /// that its rule can take, what hooks throw, and StateError when a run goes on.
    void run(Cpu device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.run([&] { train_on(device, epochs); });
    }
    /// The same on any device, `run(gpu())`. Steps are only asked for: values that nobody reads stay on the accelerator, and a
    /// loss that is no finite number is noticed when a loss is read, at the latest at the end of the epoch. Throws DeviceError,
    /// and then all is as at the beginning of the epoch, or of the run if that was within it.
    void run(const Device& device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.run([&] { train_on(device, epochs); });
    }
    /// The same on several accelerators, `run(gpus(2))`: each takes a part of each batch, and their gradients are added, so
    /// that a step is that on one device up to rounding. What is read, predicted and evaluated comes from the first.
    void run(const DeviceGroup& devices, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.run([&] { train_on(devices, epochs); });
    }
    /// The same on the debug device: a NumericError comes before the step it speaks of, of the type OperationError where
    /// an operation is to blame.
    void run(Debug, std::int64_t epochs) {
        check_epochs(epochs);
        control_.run([&] {
            DebugStep<N, O, T> checked(training_.model, training_.step);
            const detail::Restore leave(training_.debug_step, [&](const O& with, std::uint64_t number, std::ptrdiff_t records) {
                std::vector<const T*> data;
                for (const T* x : training_.buffers.inputs()) data.push_back(x);
                for (const T* y : training_.buffers.targets()) data.push_back(y);
                return checked(with, number, data, records);
            });
            train_on(cpu(), epochs);
        });
    }
    /// The same on a thread of its own; `wait` returns when the run has ended, and throws what ended it.
    void start(Cpu device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.start([this, device, epochs] { train_on(device, epochs); });
    }
    void start(const Device& device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.start([this, device, epochs] { train_on(device, epochs); });
    }
    void start(const DeviceGroup& devices, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.start([this, devices, epochs] { train_on(devices, epochs); });
    }

    // ---- checkpoints ----

    /// Everything that decides how training goes on, as a safetensors file: parameters, the optimizer with its states, the
    /// position within the epoch, seeds and the state of hooks. A trainer made by the same program that loads it continues
    /// bit by bit as this one. Modifiers and functions belong to the program. The file is replaced as a whole, or not at
    /// all: StorageError.
    void save(const std::string& file) { write_checkpoint(checkpoint(), file); }
    /// Goes on from a checkpoint, between runs. Throws, and changes nothing, where it does not fit: MismatchError names the
    /// tensors that differ, DataError what is wrong with the file.
    void load(const std::string& file, HooksFromFile hooks = HooksFromFile::all) {
        control_.post([&] { go_to(file, hooks); }).wait();
    }
    /// Within a run, which goes on from there: when the hooks of this moment are through.
    void load_after_hooks(std::string file) {
        after_hooks([this, from = std::move(file)] { go_to(from, HooksFromFile::all); });
    }
    /// Parameters alone, from any safetensors file; see load_parameters of models.
    int load_parameters(const std::string& file, std::string_view pattern = "*", Transfer how = Transfer::whole,
                        const detail::AnyFunction<std::string(std::string_view)>& rename = {}) {
        return sigma::load_parameters(training_.model, file, pattern, how, rename);
    }
    void save_parameters(const std::string& file) const { sigma::save_parameters(training_.model, file); }
    /// A checkpoint in memory, and how one is written.
    std::vector<std::byte> checkpoint() {
        training_.check_sound();
        return parts().write(training_.record(counts_), runtime(), training_.constraints.frozen_names());
    }
    static void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) {
        write_file_atomically(file, std::span<const std::byte>(image));
    }
    /// Writes a checkpoint when the hooks of this moment are through, so that what it continues with is the next step.
    void save_after_hooks(std::string file) {
        after_hooks([this, to = std::move(file)] { save(to); });
    }
    /// Calls a function when the hooks of this moment are through.
    void after_hooks(detail::AnyFunction<void()> f) { after_hooks_.push_back(std::move(f)); }

    // ---- what callbacks read ----

    const std::string& name() const { return name_; }
    std::uint64_t epoch() const { return training_.epoch; }          ///< epochs finished
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    std::uint64_t iteration() const { return training_.iteration; }  ///< steps taken
    std::uint64_t batch() const { return std::max<std::uint64_t>(training_.batch, 1) - 1; }  ///< of the last step, from 0 in each epoch
    std::uint64_t batches_per_epoch() const { return training_.batches.batches_per_epoch(); }
    // Losses may be on an accelerator: reading one on the thread of the run waits for the steps before and fetches it, on
    // another thread it gives the last ones fetched, and the run fetches them again before its next step.
    double loss() const { return training_.refresh(), training_.loss; }    ///< of the last step
    /// Of each cost in the last step, without its importance; their names are `model().records.costs`.
    std::array<double, N::cost_count> losses() const {
        std::array<double, N::cost_count> now{};
        training_.refresh();
        std::ranges::copy(training_.losses, now.begin());
        return now;
    }
    double cost(int i) const { return training_.refresh(), training_.losses[static_cast<std::size_t>(i)]; }
    double error() const { return training_.refresh(), training_.error; }  ///< mean loss of the epoch so far
    double samples_per_second() const { return samples_per_second_; }
    const MomentCounts& counts() const { return counts_; }
    const Minibatches& minibatches() const { return training_.batches; }
    Model<N, T>& model() { return training_.model; }
    const Model<N, T>& model() const { return training_.model; }
    /// The executor of steps; `step_once` is the command.
    [[nodiscard]] Step<N, O, T>& step() { return training_.step; }

    /// The gradients of the loss in the present parameters, on the records of the last step and with its random numbers,
    /// computed anew: `trainer.gradients().of<"1-dense.weights">()`. Throws StateError when no step has been taken.
    Gradients<N, T>& gradients() {
        require_step("gradients");
        auto& g = training_.step_record.present(training_.model);
        const std::ptrdiff_t count = training_.records_at_hand();
        g.run(training_.iteration, training_.buffers.inputs(), training_.buffers.targets(), count);
        return g;
    }
    /// What each layer gives for the records of the last step, dense, computed anew as in prediction.
    std::vector<std::vector<T>> outputs() {
        require_step("outputs");
        const std::ptrdiff_t count = training_.records_at_hand();
        return layer_outputs(training_.model, training_.buffers.joined_inputs(count).data(), count);
    }
    /// How many these are.
    std::ptrdiff_t records_of_last_step() const { return training_.gathered; }
    /// Everything in this trainer by name; safe from any thread. See docs/registry.md for what is there. Takes another
    /// header, <sigma/trainer/registry.hpp>.
    template <class Access = detail::TrainerRegistry<Trainer>>
    auto& registry() {
        static_assert(requires { sizeof(Access); }, "#include <sigma/trainer/registry.hpp> to find what a trainer has by name");
        if (!registry_made_) {
            const auto make = [this] {  // between two steps: it looks at hooks
                if (registry_) return;
                auto made = std::make_shared<Access>(*this);
                made->link_shared(hooks_.groups());
                hooks_.changed = [this, made] { made->link_shared(hooks_.groups()); };
                close_registry_ = [made] { made->close(); };
                registry_ = std::move(made);
                registry_made_ = true;
            };
            if (control_.on_training_thread()) make();
            else control_.post(make).wait();
        }
        return static_cast<Access*>(registry_.get())->registry;
    }
    /// What was kept of the last step for hooks.
    StepRecord<N, T>& step_record() { return training_.step_record; }

private:
    O first_optimizer_;
    std::string name_;
    mutable detail::Training<N, O, T> training_;  // fetches from an accelerator what is read
    detail::Relaxed<std::uint64_t> epochs_planned_;
    detail::Relaxed<double> samples_per_second_;
    double started_ = 0;  ///< the running time when this run began
    std::vector<std::pair<std::string, Initializer>> initializers_;
    std::vector<Callback> on_iteration_, on_epoch_;
    MomentCounts counts_;
    detail::Mutex print_mutex_;
    detail::Signal<bool> registry_made_;
    std::shared_ptr<void> registry_;
    detail::AnyFunction<void()> close_registry_;
    bool moved_ = false;  ///< a command has set another position

    std::vector<detail::AnyFunction<void()>> after_hooks_;
    detail::Beginning<T> beginning_;
    O optimizer_at_beginning_{};
    detail::HookList<Trainer> hooks_;

    void check_epochs(std::int64_t epochs) const {
        if (epochs < 0) throw ArgumentError(sentence("run of trainer '", name_, "'"), "0 epochs or more", sentence(epochs));
    }

    /// A model without names of classes takes those of the data. Parameters of others may have come into it.
    [[gnu::cold]] void require_own_classes() {
        const Dataset& data = training_.batches.dataset;
        if (!detail::classes_agree(model().classes(), data.classes()))
            detail::throw_other_classes<ArgumentError>(
                sentence("run of trainer '", name_, "' on dataset '", data.name(), "'"), model().classes(),
                "as of its model (where it shall learn others: model().set_classes(training.classes()))",
                data.classes());
        if (model().classes().empty() && !data.classes().empty()) model().set_classes(data.classes());
    }

    // ---- the loop ----

    /// The parameters are the run's. Who wants to read them on another thread is let in between two steps.
    detail::Access::Owner own() {
        return detail::Access::Owner(training_.model.access(), [this] {
            try {
                control_.post([this] { training_.model.access().let_in(); });
            } catch (const StateError&) {  // of a trainer that is being destroyed: its run ends
            }
        });
    }
    void train_on(Cpu device, std::int64_t epochs) {
        const detail::Access::Owner owner = own();
        const auto pool = device.threads > 1 ? std::make_unique<simd::Pool>(device.threads) : nullptr;
        train(pool.get(), epochs);
    }
    void train_on(const Device& device, std::int64_t epochs) {
        if (!device.accelerator()) return train_on(cpu(device.threads()), epochs);
        const detail::Access::Owner owner = own();
        const auto make = [this](const std::shared_ptr<Accelerator>& a) {
            return detail::accelerated_training(a, training_.buffers, training_.model, training_.step);
        };
        training_.on(device.accelerator(), make, [&] { train(nullptr, epochs); });
    }
    void train_on(const DeviceGroup& devices, std::int64_t epochs) {
        if (!devices.group()) return train_on(devices.device(), epochs);
        const detail::Access::Owner owner = own();
        const auto make = [this](const std::shared_ptr<AcceleratorGroup>& g) {
            return detail::parallel_training(g, training_.buffers, training_.model, training_.step);
        };
        training_.on(devices.group(), make, [&] { train(nullptr, epochs); });
    }
    void train(simd::Pool* pool, std::int64_t epochs) {
        detail::check_numbers(optimizer);
        constexpr auto most = std::numeric_limits<std::uint64_t>::max();
        const auto more = static_cast<std::uint64_t>(epochs);
        epochs_planned_ = more > most - epoch() ? most : epoch() + more;
        started_ = runtime();
        require_own_classes();
        std::uint64_t records_done = 0;
        after_hooks_.clear();  // of a run that failed
        beginning_.take(training_.model, training_.step.mirrored(), hooks_.archived(), training_.record(counts_),
                        training_.constraints.frozen_names());
        optimizer_at_beginning_ = optimizer;
        happen(Moment::start);
        while (epoch() < epochs_planned_ && !control_.stopping()) {
            moved_ = false;
            detail::check_numbers(optimizer);
            training_.begin_here();
            while (!training_.epoch_is_over()) {
                if (control_.pending()) control_.handle();
                if (moved_ || control_.stopping()) break;
                records_done += training_.iterate(optimizer, pool, [&] { return wanted(); });
                samples_per_second_ = static_cast<double>(records_done) / std::max(runtime() - started_, 1e-9);
                happen(Moment::iteration);
            }
            if (moved_ || !training_.epoch_is_over()) continue;
            training_.end_epoch(pool);
            happen(Moment::epoch);
        }
        happen(Moment::stop);
        hooks_.finish(*this);
    }
    /// What hooks may ask of the next step.
    Wants wanted() {
        Wants all;
        for (const auto& group : hooks_.groups()) all = all | group->wants(*this, training_.batch + 1 == batches_per_epoch());
        return all;
    }
    /// Counts a moment and runs what waits for it.
    void happen(Moment moment) {
        ++counts_[moment];
        counts_[Moment::iteration] = iteration();
        counts_[Moment::epoch] = epoch();
        hooks_.fire(moment, *this, [&] {
            if (moment != Moment::iteration && moment != Moment::epoch) return;
            for (const Callback& f : moment == Moment::epoch ? on_epoch_ : on_iteration_) f(*this);
        });
        if (!after_hooks_.empty() && !hooks_.firing())
            for (const auto& f : std::exchange(after_hooks_, {})) f();
    }
    void handle(ControlEvent event) {
        switch (event) {
            case ControlEvent::pause: happen(Moment::pause); break;
            case ControlEvent::resume: happen(Moment::resume); break;
            case ControlEvent::reset: start_again(); break;
            case ControlEvent::rewind: go_back(); break;
        }
    }
    void start_again() {
        optimizer = first_optimizer_;
        training_.start_again();
        draw();
        control_.add_running_time(-runtime());
        started_ = 0;
        const std::uint64_t resets = counts_[Moment::reset];
        counts_ = {};
        counts_[Moment::reset] = resets;
        moved_ = true;
        control_.stop();
        for (const auto& group : hooks_.groups()) group->restart(*this);
        happen(Moment::reset);
    }
    int draw(std::string_view among = {}) {
        std::vector<InitializerRule> rules;
        for (const auto& [pattern, initializer] : initializers_) rules.push_back({pattern, initializer});
        return training_.model.initialize_by(rules, among);
    }
    void go_back() {
        if (!beginning_.taken) return start_again();
        bool hooks_too = false;
        training_.model.write(
            [&] { hooks_too = beginning_.restore(training_.model, training_.step.mirrored(), hooks_.archived()); });
        optimizer = optimizer_at_beginning_;
        set(beginning_.run);
        training_.constraints.set_frozen(beginning_.frozen, iteration());
        if (!hooks_too)
            for (const auto& group : hooks_.groups()) group->restart(*this);
    }
    void go_to(const std::string& file, HooksFromFile hooks) {
        training_.buffers.halt();  // the file decides on the order of records
        detail::LoadedRun loaded;
        training_.model.write([&] { loaded = parts().read(SafetensorsFile::open(file), hooks); });
        training_.step.set_seed(training_.model.seed());
        set(loaded.run);
        training_.constraints.set_frozen(loaded.frozen, iteration());
        const double jump = loaded.runtime - runtime();
        control_.add_running_time(jump);
        started_ += jump;
    }
    detail::Checkpoint<T> parts() {
        return {name_,
                training_.model,
                detail::TrainingFingerprint<N>::value,
                detail::state_table<N, O>,
                training_.step.mirrored(),
                simd::lanes<T>,
                optimizer_table<O>,
                &optimizer,
                training_.batches,
                hooks_.archived()};
    }
    void set(const detail::RunRecord& r) {
        training_.set(r);
        counts_ = r.counts;
        moved_ = true;
    }

    void require_step(const char* what) const {
        if (training_.gathered == 0) throw StateError(sentence(what, " of trainer '", name_, "'"), "a step that was taken before", "none");
    }
    void check_matched(const char* what, std::string_view pattern, int matched) const {
        if (matched == 0)
            throw ArgumentError(sentence(what, " of trainer '", name_, "'"), "a pattern that matches a parameter",
                                sentence("'", pattern, "'"));
    }
};

template <class N, class O>
Trainer(std::string, N, O, Minibatches) -> Trainer<N, O, float>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, Element<T>) -> Trainer<N, O, T>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, Element<T>, std::uint64_t) -> Trainer<N, O, T>;

}  // namespace sigma
