// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/device/profiler.hpp>
#include <sigma/execution/check_data.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/execution/explain.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/trainer/machines/machine_steps.hpp>
#include <sigma/trainer/run/stop_on_interrupt.hpp>
#include <sigma/trainer/terminal/progress.hpp>
#include <sigma/trainer/trainer_core.hpp>
#include <sigma/trainer/workers/worker_steps.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

namespace sigma::detail {

/// The progress of a run in the status line of standard error. Runs of less than a third of a second show nothing.
class RunLine {
public:
    RunLine(const std::string& name, const void* trainer, bool shown)
        : name_(name), trainer_(trainer), status_(stderr, shown), shows_(shown),
          next_(begin_ + std::chrono::milliseconds(333)) {}
    RunLine(const RunLine&) = delete;
    RunLine& operator=(const RunLine&) = delete;
    /// Keeps lines that hooks have printed about the run.
    ~RunLine() { terminal::keep_line(trainer_); }

    /// Returns whether the line should be updated: at most ten times a second.
    bool due() { return shows_ && Clock::now() >= next_; }
    void show(const Progress& now) {
        began_showing_ = true;
        next_ = Clock::now() + std::chrono::milliseconds(100);
        const std::size_t columns = terminal::columns(stderr) - 1, taken = terminal::width(name_) + 2;
        status_.show(sentence(name_, "  ", terminal::progress_line_within(columns - std::min(columns, taken), now)));
    }
    /// Returns whether a line was shown.
    bool shown() const { return began_showing_; }
    /// Leaves a line for the whole run if `stays`, with its duration instead of the time left.
    void end(Progress last, bool stays) {
        if (!stays) return status_.hide();
        last.seconds_left = std::nan("");
        const std::chrono::duration<double> seconds = Clock::now() - begin_;
        status_.keep(sentence(name_, "  ", terminal::progress_line(last, terminal::has_utf8(), 0), "  in ",
                              seconds.count() < 10 ? sentence(fixed_text(seconds.count(), 1), " s")
                                                   : terminal::duration(seconds.count())));
    }

private:
    using Clock = std::chrono::steady_clock;

    std::string name_;
    const void* trainer_;
    terminal::StatusLine status_;
    bool shows_, began_showing_ = false;
    Clock::time_point begin_ = Clock::now(), next_;
};

/// The interface of a trainer to hooks.
template <class T>
class TrainerCore<T>::View final : public TrainerView {
public:
    explicit View(TrainerCore<T>& trainer) : TrainerView(&trainer), trainer_(trainer) {}

    const std::string& name() const override { return trainer_.name(); }
    const MomentCounts& counts() const override { return trainer_.counts(); }
    double runtime() const override { return trainer_.runtime(); }
    std::uint64_t epoch() const override { return trainer_.epoch(); }
    std::uint64_t iteration() const override { return trainer_.iteration(); }
    double loss() const override { return trainer_.loss(); }
    double training_loss() const override { return trainer_.training_loss(); }
    double samples_per_second() const override { return trainer_.samples_per_second(); }
    double learning_rate() const override {
        const OptimizerPlaces& o = trainer_.optimizers_;
        return o.table.learning_rate ? o.table.learning_rate(o.now, nullptr) : std::numeric_limits<double>::quiet_NaN();
    }
    void set_learning_rate(double rate) override {
        const OptimizerPlaces& o = trainer_.optimizers_;
        if (o.table.learning_rate) o.table.learning_rate(o.now, &rate);
    }
    void check_optimizer() const override { check_numbers(trainer_.optimizers_.table, trainer_.optimizers_.now); }
    void require_like_training(const Dataset& data) const override { trainer_.require_like_training(data); }

    void print(std::string_view line) override { trainer_.print(line); }
    void stop() override { trainer_.stop(); }
    void pause() override { trainer_.pause(); }
    /// Resets the trainer and stops the run, since a run that starts again would come to the same reset.
    void reset() override {
        trainer_.reset();
        trainer_.stop();
    }
    void post(AnyFunction<void()> f) override { trainer_.post(std::move(f)); }
    void after_hooks(AnyFunction<void()> f) override { trainer_.after_hooks_.push_back(of_acting_hook(std::move(f))); }

    void save_after_hooks(std::string file) override {
        after_hooks([this, to = std::move(file)] { trainer_.save(to); });
    }
    void load_after_hooks(std::string file) override {
        after_hooks([this, from = std::move(file)] { trainer_.go_to(from, HooksFromFile::all); });
    }
    void load_parameters(const std::string& file, const ParameterChoice& choice) override {
        trainer_.load_parameters(file, choice);
    }
    std::vector<std::byte> checkpoint() override { return trainer_.checkpoint(); }
    void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const override {
        write_file_atomically(file, std::span<const std::byte>(image));
        trainer_.post([&trainer = trainer_, file] { trainer.checkpoint_done(CheckpointEvent::saved, file); });
    }

    AnyStore parameters() override { return trainer_.model_; }
    void parameters_changed() override { trainer_.training_.begin_here(); }
    void freeze(std::string_view pattern) override { trainer_.freeze(pattern); }
    void unfreeze(std::string_view pattern) override { trainer_.unfreeze(pattern); }
    bool frozen(int parameter) const override { return trainer_.training_.modifiers.frozen(parameter); }
    KeptTensor gradient(int parameter) override {
        const auto kept = trainer_.training_.step_record.gradient(parameter, trainer_.iteration());
        return kept ? KeptTensor{kept->data(), trainer_.model_.network().parameters[parameter].shape.last()}
                    : KeptTensor{};
    }
    KeptTensor before(int parameter) override {
        const auto kept = trainer_.training_.step_record.before(parameter, trainer_.model_, trainer_.iteration());
        return kept ? KeptTensor{kept->data(), trainer_.model_.pitch(parameter)} : KeptTensor{};
    }
    KeptTensor output(int layer) override { return trainer_.training_.step_record.output(layer, trainer_.iteration()); }
    ComputedValue find_computed(const ValueRecord& value) const override {
        return trainer_.worker_hooks_.is_making() ? find_computed_in_worker(value)
                                                  : trainer_.hooks_.find_computed(value);
    }
    ComputedValue find_computed_in_worker(const ValueRecord& value) const override {
        return trainer_.worker_hooks_.find_computed_alone(value);
    }
    void for_each_worker(const AnyFunction<void(TrainerView&)>& f) override {
        if (RunWorkers<T>* const workers = trainer_.training_.workers()) workers->for_each(f);
        else f(*this);
    }
    std::vector<double> read_of_workers(int reading) override {
        if (RunWorkers<T>* const workers = trainer_.training_.workers()) return workers->read(reading);
        return TrainerView::read_of_workers(reading);
    }

private:
    TrainerCore<T>& trainer_;
};

template <class T>
TrainerCore<T>::TrainerCore(std::string name, Minibatches batches, const Trained<T>& trained)
    : Commands(name, [this](ControlEvent event) { handle(event); }), name_(std::move(name)), model_(trained.model),
      optimizers_(trained.optimizer), fingerprint_(trained.fingerprint),
      training_(std::move(batches), trained.model, trained.step, trained.optimizer.table, trained.tape),
      view_(std::make_unique<View>(*this)) {
    take_classes();
}
template <class T>
TrainerCore<T>::~TrainerCore() = default;

template <class T>
TrainerView& TrainerCore<T>::hook_view() {
    return *view_;
}

template <class T>
void TrainerCore<T>::close() noexcept {
    control_.close();                 // rejects further commands of background hooks
    if (entries_) entries_->close();  // waits for its readers
    hooks_.changed = nullptr;
    hooks_.clear();
}

template <class T>
TrainerEntries& TrainerCore<T>::entries(const AnyFunction<Owned<TrainerEntries>()>& make) {
    if (linked_ == nullptr) {
        const auto link = [&] {  // between two steps, since it reads the hooks
            if (entries_) return;
            auto made = make();
            made->link(hooks_);
            entries_ = std::move(made);
            hooks_.changed = [this] { entries_->link(hooks_); };
            linked_ = entries_.get();
        };
        between_steps(link);
    }
    return *linked_;
}

template <class T>
void TrainerCore<T>::between_steps(const AnyFunction<void()>& f) {
    if (control_.on_training_thread()) return f();
    if (HookThread::works_for(this))
        throw StateError(sentence("wait for a command to trainer '", name_, "'"), "a thread independent of its run",
                         "the thread of a hook in the background or in a worker");
    control_.post([&] { f(); }).wait();
}

// ---- parameters ----

template <class T>
void TrainerCore<T>::check_own_parameters(std::string_view command) const {
    if (training_.step.model_has_averages)
        throw StateError(sentence(command, " of trainer '", name_, "'"), "a call outside of with_averages",
                         "a call within it");
}

template <class T>
void TrainerCore<T>::initialize(std::string_view pattern, const Initializer& initializer) {
    between_steps([&] {
        check_own_parameters("initialize");
        initializers_.emplace_back(pattern, initializer);
        const int matched = draw(pattern);
        if (matched == 0) initializers_.pop_back();
        check_matched("initialize", pattern, matched);
    });
}
template <class T>
int TrainerCore<T>::draw(std::string_view pattern) {
    std::vector<InitializerRule> rules;
    for (const auto& [names, initializer] : initializers_) rules.push_back({names, initializer});
    return model_.initialize_by(rules, pattern);
}
template <class T>
void TrainerCore<T>::add_modifier(std::string_view pattern, typename Modifiers<T>::Modifier modifier) {
    between_steps([&] {
        check_matched("modify", pattern, training_.modifiers.modify(pattern, std::move(modifier), iteration()));
    });
}
template <class T>
void TrainerCore<T>::unmodify(std::string_view pattern) {
    between_steps([&] { check_matched("unmodify", pattern, training_.modifiers.unmodify(pattern, iteration())); });
}
template <class T>
void TrainerCore<T>::freeze(std::string_view pattern) {
    between_steps([&] { check_matched("freeze", pattern, training_.modifiers.freeze(pattern, iteration())); });
}
template <class T>
void TrainerCore<T>::unfreeze(std::string_view pattern) {
    between_steps([&] { check_matched("unfreeze", pattern, training_.modifiers.unfreeze(pattern, iteration())); });
}
template <class T>
void TrainerCore<T>::check_matched(const char* what, std::string_view pattern, int matched) const {
    if (matched == 0)
        throw ArgumentError(sentence(what, " of trainer '", name_, "'"), "a pattern that matches a parameter",
                            detail::pattern_without_match(pattern, model_.network()));
}

template <class T>
int TrainerCore<T>::add_hooks_in_workers(const MakeInWorker<T>& make, const CopyOfModel<T>& copy) {
    int number = 0;
    between_steps([&] {
        number = hooks_.add(worker_hooks_.add(make, copy, {*view_, model_, training_.step, training_.step_record}));
    });
    return number;
}
template <class T>
int TrainerCore<T>::add_hooks(const AnyFunction<Owned<HookGroup>()>& make) {
    int number = 0;
    between_steps([&] { number = hooks_.add(make()); });
    return number;
}
template <class T>
void TrainerCore<T>::add_callback(Moment moment, AnyFunction<void()> f) {
    between_steps([&] { callbacks(moment).push_back(std::move(f)); });
}
template <class T>
void TrainerCore<T>::add_callback(CheckpointEvent event, AnyFunction<void(const std::string&)> f) {
    between_steps([&] { (event == CheckpointEvent::saved ? on_save_ : on_load_).push_back(std::move(f)); });
}
template <class T>
void TrainerCore<T>::checkpoint_done(CheckpointEvent event, const std::string& file) {
    hooks_.checkpoint_done(event, file);
    for (const auto& f : event == CheckpointEvent::saved ? on_save_ : on_load_) f(file);
}
template <class T>
void TrainerCore<T>::remove(int number) {
    bool found = false;
    between_steps([&] { found = hooks_.remove(number); });
    if (!found)
        throw ArgumentError(sentence("remove of trainer '", name_, "'"), "a number returned by add", sentence(number));
}

template <class T>
void TrainerCore<T>::print(std::string_view line) {
    const Lock lock(print_mutex_);
    if (output) output(line);
    else terminal::print(stdout, line);
}

// ---- runs ----

template <class T>
const History& TrainerCore<T>::run_on(const RunPlace<T>& place, std::int64_t epochs, const Validation& validation) {
    check_epochs(epochs);
    check_own_parameters("run");
    control_.begin_run();
    try {
        train_on(place, epochs, validation);
    } catch (...) {
        control_.fail_run();
        throw;
    }
    control_.end_run();
    return history_;
}
template <class T>
void TrainerCore<T>::start_on(RunPlace<T> place, std::int64_t epochs, Validation validation) {
    check_epochs(epochs);
    check_own_parameters("start");
    place.quiet = true;
    control_.start(
        [this, on = std::move(place), epochs, scored = std::move(validation)] { train_on(on, epochs, scored); });
}
template <class T>
const History& TrainerCore<T>::run(Cpu device, std::int64_t epochs) {
    return run_on({.device = device}, epochs);
}
template <class T>
const History& TrainerCore<T>::run(const Device& device, std::int64_t epochs) {
    return run_on({.device = device}, epochs);
}
template <class T>
const History& TrainerCore<T>::run(const WorkerSet& workers, std::int64_t epochs) {
    return run_on(in_workers(workers), epochs);
}
template <class T>
void TrainerCore<T>::start(const WorkerSet& workers, std::int64_t epochs) {
    start_on(in_workers(workers), epochs);
}
template <class T>
void TrainerCore<T>::start(Cpu device, std::int64_t epochs) {
    start_on({.device = device}, epochs);
}
template <class T>
void TrainerCore<T>::start(const Device& device, std::int64_t epochs) {
    start_on({.device = device}, epochs);
}

template <class T>
RunPlace<T> TrainerCore<T>::place_of(const MachineSet& machines, const AnyFunction<StepInParts()>& programs) {
    RunPlace<T> place{.machines = SharedOwner<const MachineSet>::make(machines)};
    if (!machines.workers) place.in_parts = SharedOwner<const StepInParts>::make(programs());
    place.enter = machines.workers ? &TrainerCore::enter_workers : &TrainerCore::enter_machines;
    return place;
}
template <class T>
RunPlace<T> TrainerCore<T>::in_workers(const WorkerSet& workers) {
    return {.workers = SharedOwner<const WorkerSet>::make(workers), .enter = &TrainerCore::enter_workers};
}
template <class T>
const History& TrainerCore<T>::run_checked(const Program& operations, ListView<LayerRecord> layers,
                                           std::int64_t epochs) {
    return run_on({.checked = &operations, .layers = layers, .enter = &TrainerCore::enter_debug}, epochs);
}

template <class T>
void TrainerCore<T>::examine(const RunOptions& options) const {
    check_epochs(options.epochs);
    if (options.validation) require_like_training(*options.validation);
}
template <class T>
void TrainerCore<T>::prepare(const RunOptions& options) {
    const Minibatches& now = training_.batches();
    if (options.batch_size == 0 || options.batch_size == static_cast<std::int64_t>(now.size)) return;
    const auto records = static_cast<std::int64_t>(now.dataset.size());
    if (options.batch_size < 0 || options.batch_size > records || now.undivided)
        throw ArgumentError(sentence("batch_size of a run of trainer '", name_, "'"),
                            now.undivided ? std::string("0, since its blocks are its batches")
                                          : sentence("from 1 to ", records, ", or 0 for that of its minibatches"),
                            sentence(options.batch_size));
    Minibatches others = now;
    others.size = static_cast<std::size_t>(options.batch_size);
    set_data(std::move(others));
}
template <class T>
void TrainerCore<T>::check_epochs(std::int64_t epochs) const {
    if (epochs < 0) throw ArgumentError(sentence("run of trainer '", name_, "'"), "0 epochs or more", sentence(epochs));
}

/// Gives the model the names of the data's classes if it has none. Loading parameters may have changed its names.
template <class T>
void TrainerCore<T>::take_classes() {
    const Dataset& data = training_.batches().dataset;
    require_own_classes(data);
    if (model_.classes().empty() && !data.classes().empty()) model_.set_classes(data.classes());
}
template <class T>
[[gnu::cold]] void TrainerCore<T>::require_own_classes(const Dataset& data) const {
    if (!classes_agree(model_.classes(), data.classes()))
        throw_other_classes<ArgumentError>(
            sentence("run of trainer '", name_, "' on dataset '", data.name(), "'"), model_.classes(),
            "as in its model (to train others, call model().set_classes(training.classes()))", data.classes());
}

template <class T>
void TrainerCore<T>::require_like_training(const Dataset& data) const {
    if (!compares_data_) return;
    const Dataset& own = training_.batches().dataset;
    data::detail::require_same_preprocessing(own, data);
    data::detail::require_same_classes(own, data);
}

/// Makes the run the owner of the parameters. A reader on another thread gets access between two steps.
template <class T>
Access::Owner TrainerCore<T>::own() {
    return Access::Owner(model_.access(), [this] {
        try {
            control_.post([this] { model_.access().let_in(); });
        } catch (const StateError&) {  // the trainer is being destroyed, and its run ends
        }
    });
}

template <class T>
void TrainerCore<T>::train_on(const RunPlace<T>& place, std::int64_t epochs, const Validation& validation) {
    const Access::Owner owner = own();
    StopOnInterrupt interrupt(control_, place.stops_on_interrupt);
    const Restore leave(training_.checks_scalars, place.checked != nullptr);
    note_device(place);
    model_.set_processor(place.device.processor());
    const MachineSet* const machines = place.machines.get();
    // Rank 0 trains with hooks. The others follow, and load its state at the end.
    const bool follows = machines && !machines->first();
    std::vector<std::byte> of_rank_0;
    try {
        training_.begin_run();
        try {
            (this->*(place.enter ? place.enter : &TrainerCore::enter_device))(place, epochs);
            training_.give_worker_states();
            if (follows) of_rank_0 = training_.steps.now()->shared_run()->follow();
            else train(epochs, validation, is_shown(place));
            if (machines && !follows) training_.steps.now()->shared_run()->end(checkpoint());
            training_.end_run();
        } catch (...) {
            training_.fail_run();
            throw;
        }
        if (follows) go_to(SafetensorsFile::from_bytes(of_rank_0, "rank 0"), HooksFromFile::all);
        if (machines) broadcast(*machines->group, history_.epochs);
    } catch (...) {
        if (machines) report_to_others(*machines->group);
        throw;
    }
    history_.interrupted = interrupt.finish();
}

template <class T>
void TrainerCore<T>::enter_device(const RunPlace<T>& place, std::int64_t) {
    const StepCore<T>& step = training_.step;
    worker_hooks_.enter_alone();
    if (place.group) training_.steps.enter(place.group, place.plans);
    else if (const auto& device = place.device.compute_device()) training_.steps.enter(device, {}, step.plan());
    else training_.steps.enter(model_.host(), place.device.processor(), step.program());
}
template <class T>
void TrainerCore<T>::enter_debug(const RunPlace<T>& place, std::int64_t) {
    worker_hooks_.enter_alone();
    training_.steps.enter(SharedOwner<DebugDevice>::make(operation_error(model_.network(), place.layers)), {},
                          {training_.step.plan(), place.checked});
}
template <class T>
void TrainerCore<T>::enter_workers(const RunPlace<T>& place, std::int64_t epochs) {
    const MachineSet* const machines = place.machines.get();
    const AlikeMachines alike{machines, machines ? identity(machines->device, epochs) : std::string()};
    training_.steps.enter([&](BatchLoader<T>& batches) {
        return SharedOwner<WorkerSteps<T>>::make(
            machines ? *machines->workers : *place.workers, batches, model_, training_.step, training_.modifiers,
            TrainerInterface<T>{*view_, worker_hooks_}, BatchPosition{training_.epoch, training_.batch}, alike);
    });
}
template <class T>
void TrainerCore<T>::enter_machines(const RunPlace<T>& place, std::int64_t epochs) {
    worker_hooks_.enter_alone();
    training_.steps.enter([&](BatchLoader<T>& batches) {
        return SharedOwner<MachineSteps<T>>::make(*place.machines, *place.in_parts,
                                                  identity(place.machines->device, epochs), batches, model_,
                                                  training_.step);
    });
}

/// Returns a digest of some records, or of none if they are not in memory.
inline std::uint64_t sample_of(const Dataset& data) {
    std::uint64_t digest = storage::fnv1a("");
    if (!data.in_memory()) return digest;
    std::vector<float> values;
    constexpr std::size_t most = 64;
    for (std::size_t i = 0; i < std::min(most, data.size()); ++i) {
        const std::size_t position = data.size() <= most ? i : i * (data.size() - 1) / (most - 1);
        const auto add = [&](std::size_t width, const auto& copy) {
            values.assign(width, 0);
            copy(std::span(&position, 1), values.data(), width);
            digest = storage::fnv1a(std::as_bytes(std::span(values)), digest);
        };
        for (std::size_t k = 0; k < data.input_count(); ++k)
            add(data.input_size(k), [&](auto at, float* to, std::size_t width) { data.copy_inputs(at, to, width, k); });
        for (std::size_t k = 0; k < data.target_count(); ++k)
            add(data.target_size(k),
                [&](auto at, float* to, std::size_t width) { data.copy_targets(at, to, width, k); });
    }
    return digest;
}

/// Returns the text that must be equal in all processes, so that they train the same network on the same data.
template <class T>
std::string TrainerCore<T>::identity(const Device& device, std::int64_t epochs) const {
    const Minibatches& of = training_.batches();
    const Dataset& data = of.dataset;
    std::string text = sentence("version: sigma ", version(), "\ntrainer: ", name_,
                                "\nnetwork and losses: ", in_one_line(network_text(model_.network())), " (",
                                hexadecimal(fingerprint_), ")", "\noptimizer: ", optimizer_name(optimizers_.table));
    optimizers_.table.for_each_field(optimizers_.now, [&](std::string_view field, const NumberRange&, double x) {
        text += sentence("\n", field, " of the optimizer: ", x);
    });
    const auto& hyperparameters = model_.network().hyperparameters;
    for (int i = 0; i < hyperparameters.size(); ++i)
        text += sentence("\n", hyperparameters[i].name.view(), ": ", model_.hyperparameter(i));
    text += sentence(
        "\nseed of the trainer: ", model_.seed(), "\nnumber of epochs: ", epochs,
        "\nelement: ", sigma::detail::name(element_type<T>), "\ninstructions: ", on_cpu::kernels<T>().instructions,
        "\nkind of device: ", device.compute_device() ? device.name() : std::string("cpu"), "\ndata: ", data.name(),
        "\nrecords: ", data.size(), "\nbatch size: ", of.size, "\nshuffled minibatches: ", of.shuffling ? "yes" : "no");
    if (of.shuffling) text += sentence("\nseed of minibatches: ", of.seed);
    for (const auto& [key, value] : of.options()) text += sentence("\n", key, ": ", value);
    return text + sentence("\nvalues of records: ", hexadecimal(sample_of(data)));
}

template <class T>
void TrainerCore<T>::note_device(const RunPlace<T>& place) {
    std::string text = place.checked ? "debug" : place.device.text();
    const WorkerSet* const workers = place.machines ? place.machines->workers.get() : place.workers.get();
    if (workers) {
        const auto& devices = workers->devices;
        text = sentence(devices.size(), " workers: ", devices[0].text());
        for (const Device& d : std::span(devices).subspan(1)) text += ", " + d.text();
    }
    if (place.machines)
        text = sentence("rank ", place.machines->rank(), " of ", place.machines->count(), ": ",
                        workers ? text : place.machines->device.text());
    elsewhere_ = workers || place.group || place.device.compute_device();
    const Lock lock(device_mutex_);
    device_text_ = std::move(text);
}
template <class T>
std::string TrainerCore<T>::device_text() const {
    const Lock lock(device_mutex_);
    return device_text_;
}

template <class T>
void TrainerCore<T>::visit_workers(const AnyFunction<void(const WorkerStatus&)>& f) const {
    if (RunWorkers<T>* const workers = training_.workers()) workers->visit(f);
}

template <class T>
bool TrainerCore<T>::is_shown(const RunPlace<T>& place) const {
    const bool alone = hooks_.empty() && on_iteration_.empty() && on_epoch_.empty() && !output;
    return !place.quiet && (alone || shows_runs_) && terminal::is_interactive(stderr);
}

template <class T>
void TrainerCore<T>::explain() {
    const char* const words = std::getenv("SIGMA_EXPLAIN");
    if (words == nullptr || *words == '\0') return;
    const ExplainedParts parts = explained_parts(words, "environment variable SIGMA_EXPLAIN", false);
    const NetworkTape& tape = training_.tape();
    if (parts.tape)
        print(sentence("trainer '", name_, "', the tape of predictions and losses:\n",
                       to_text(program_of({tape.nodes, tape.loops, tape.costs, {}}))));
    if (parts.plan) print(sentence("trainer '", name_, "', the plan of a step:\n", to_text(training_.step.plan())));
}

/// Prints warnings about the data, once for each data set.
template <class T>
void TrainerCore<T>::warn_about_data() {
    if (std::exchange(warned_about_data_, true)) return;
    for (const std::string& doubt : doubtful_targets(model_.network(), training_.batches().dataset))
        print(sentence("trainer '", name_, "': ", doubt));
}

template <class T>
Progress TrainerCore<T>::progress(bool over) const {
    Progress now = progress_of_run(over, epoch(), epochs_planned(), batch(), batches_per_epoch(),
                                   training_.batches().dataset.size(), samples_per_second(), training_loss());
    if (!history_.epochs.empty()) {
        now.validation_loss = history_.epochs.back().validation_loss;
        now.accuracy = history_.epochs.back().accuracy;
    }
    return now;
}

/// Notes the state in which a run of `epochs_of_run_` epochs begins.
template <class T>
void TrainerCore<T>::run_begins_here() {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    epochs_planned_ = epochs_of_run_ > most - epoch() ? most : epoch() + epochs_of_run_;
    epoch_began_ = started_ = run_start_.runtime = runtime();
    history_.epochs.clear();
    history_.interrupted = false;
    history_.epochs.reserve(std::min<std::uint64_t>(epochs_of_run_, 1000));  // so that steps allocate nothing
    run_start_.take(model_, training_.step.dual_buffer(), hooks_.archived(), training_.record(counts_),
                    training_.modifiers.frozen_names());
    optimizers_.table.assign(optimizers_.at_beginning, optimizers_.now);
}

template <class T>
void TrainerCore<T>::train(std::int64_t epochs, const Validation& validation, bool shown) {
    const auto examine = [&] { check_numbers(optimizers_.table, optimizers_.now); };
    examine();
    epochs_of_run_ = static_cast<std::uint64_t>(epochs);
    take_classes();
    explain();
    warn_about_data();
    std::uint64_t records_done = 0;
    begin_profile_by_environment();
    RunProfile profile(name_);
    RunLine line(name_, view_.get(), shown);
    after_hooks_.clear();  // those of a failed run
    run_begins_here();
    const Restore within(within_run_, true);
    dispatch(Moment::start);
    const AnyFunction<Wants()> wanted = [this] { return hooks_.wants(training_.batch + 1 == batches_per_epoch()); };
    bool handled = false;  // commands have changed the position: take a `step` among them before handling more
    while (epoch() < epochs_planned_ && !control_.stopping()) {
        moved_ = false;
        examine();
        training_.begin_here();
        while (!training_.epoch_is_over()) {
            if (!std::exchange(handled, false) && control_.pending()) {
                const Restore commands(commanded_, true);
                control_.handle();
            }
            training_.meet();
            if (control_.stopping()) break;
            if (moved_) {
                handled = true;
                records_done = 0;
                started_ = runtime();
                break;
            }
            const bool timed = profile_now() != 0 && profile.begin();
            records_done += training_.iterate(optimizers_.now, wanted);
            samples_per_second_ = static_cast<double>(records_done) / std::max(runtime() - started_, 1e-9);
            const Ticks hooks = timed ? ticks_now() : 0;
            dispatch(Moment::iteration);
            if (timed) profile.end(hooks);
            if (line.due()) line.show(progress(false));
        }
        if (moved_ || !training_.epoch_is_over()) continue;
        training_.end_epoch();
        if (validation) profile.between(LoopPart::validation, [&] { note_epoch(validation); });
        else note_epoch(validation);
        profile.between(LoopPart::epoch_hooks, [&] { dispatch(Moment::epoch); });
    }
    if (line.shown()) line.end(progress(!history_.epochs.empty() && training_.batch == 0), !shows_runs_);
    dispatch(Moment::stop);
    hooks_.finish();
}

/// Adds the results of the finished epoch to the history.
template <class T>
void TrainerCore<T>::note_epoch(const Validation& validation) {
    EpochResult now{.epoch = epoch(), .training_loss = training_loss(), .validated = static_cast<bool>(validation)};
    if (validation) validation(now.validation_loss, now.accuracy);
    const double time = runtime();
    now.seconds = time - std::exchange(epoch_began_, time);
    history_.add(now);
}

/// Counts a moment, and runs its hooks and callbacks.
template <class T>
void TrainerCore<T>::dispatch(Moment moment) {
    ++counts_[moment];
    counts_[Moment::iteration] = iteration();
    counts_[Moment::epoch] = epoch();
    hooks_.fire(moment, [this, moment] {
        if (moment == Moment::start || moment == Moment::pause || moment == Moment::resume) return;
        for (const auto& f : callbacks(moment)) f();
    });
    if (!after_hooks_.empty() && !hooks_.firing())
        for (const auto& f : std::exchange(after_hooks_, {})) f();
}

// ---- commands ----

template <class T>
void TrainerCore<T>::handle(ControlEvent event) {
    switch (event) {
        case ControlEvent::pause: dispatch(Moment::pause); break;
        case ControlEvent::resume: dispatch(Moment::resume); break;
        case ControlEvent::reset: check_own_parameters("reset"), start_again(); break;
        case ControlEvent::rewind: check_own_parameters("rewind"), go_back(); break;
    }
}

template <class T>
void TrainerCore<T>::start_again() {
    optimizers_.table.assign(optimizers_.now, optimizers_.first);
    training_.start_again();
    history_ = {};
    draw();
    control_.add_runtime(-runtime());
    epoch_began_ = started_ = 0;
    const std::uint64_t resets = counts_[Moment::reset];
    counts_ = {};
    counts_[Moment::reset] = resets;
    moved_ = true;
    hooks_.restart();
    if (within_run_) run_begins_here();
    dispatch(Moment::reset);
}

template <class T>
void TrainerCore<T>::go_back() {
    if (!run_start_.taken) return start_again();
    bool hooks_too = false;
    model_.write([&] { hooks_too = run_start_.restore(model_, training_.step.dual_buffer(), hooks_.archived()); });
    optimizers_.table.assign(optimizers_.now, optimizers_.at_beginning);
    set(run_start_.run);
    set_runtime(run_start_.runtime);
    epoch_began_ = runtime();
    training_.modifiers.set_frozen(run_start_.frozen, iteration());
    if (!hooks_too) hooks_.restart();
}

template <class T>
void TrainerCore<T>::set(const RunRecord& r) {
    training_.set(r);
    history_.cut(r.epoch);
    counts_ = r.counts;
    moved_ = true;
}

// ---- data ----

template <class T>
void TrainerCore<T>::set_data(Minibatches batches) {
    const auto check_idle = [this] {
        if (state() != RunState::idle)
            throw StateError(sentence("set_data of trainer '", name_, "'"), "an idle trainer",
                             state() == RunState::paused ? "a paused one" : "a running one");
    };
    check_idle();
    control_
        .post([&] {
            check_idle();
            require_like_training(batches.dataset);
            require_own_classes(batches.dataset);
            training_.take(std::move(batches));
            warned_about_data_ = false;
            if (run_start_.taken) run_start_.run.batch = run_start_.run.seen = 0, run_start_.run.total = 0;
            if (entries_) entries_->set_iterator();
        })
        .wait();
}

// ---- checkpoints ----

template <class T>
Checkpoint<T> TrainerCore<T>::parts() {
    return {name_,
            model_,
            fingerprint_,
            training_.step.state_table(),
            training_.step.dual_buffer(),
            model_.lanes(),
            optimizers_.table,
            optimizers_.now,
            training_.batches(),
            hooks_.archived(),
            training_.worker_states()};
}

template <class T>
std::vector<std::byte> TrainerCore<T>::checkpoint() {
    std::vector<std::byte> file;
    between_steps([&] {
        const bool averages = training_.step.model_has_averages;
        const auto exchange = [&] {
            if (averages) training_.step.exchange_with_aside(model_);
        };
        exchange();
        const AtExit back(exchange);
        // Only the run itself, not a command, may search the faulty step, since that ends the run.
        if (commanded_ && !training_.is_sound())
            throw StateError(sentence("checkpoint of trainer '", name_, "'"), "finite losses",
                             "a loss that is not finite, which ends the run");
        training_.check_sound();
        training_.merge();  // so that a trainer that loads it continues as this one
        file = parts().write(training_.record(counts_), runtime(), training_.modifiers.frozen_names());
    });
    return file;
}
template <class T>
void TrainerCore<T>::save(const std::string& file) {
    write_file_atomically(file, std::span<const std::byte>(checkpoint()));
    between_steps([&] { checkpoint_done(CheckpointEvent::saved, file); });
}
template <class T>
void TrainerCore<T>::load(const std::string& file, HooksFromFile hooks) {
    if (!control_.on_training_thread()) return between_steps([&] { go_to(file, hooks); });
    if (hooks_.firing())  // hooks cannot be loaded while they run
        throw StateError(sentence("load of trainer '", name_, "'"), "a call between two iterations",
                         "a call in a hook");
    go_to(file, hooks);
}
template <class T>
void TrainerCore<T>::go_to(const std::string& file, HooksFromFile hooks) {
    go_to(SafetensorsFile::open(file), hooks);
    checkpoint_done(CheckpointEvent::loaded, file);
}
template <class T>
bool TrainerCore<T>::load_if_exists(const std::string& file, HooksFromFile hooks) {
    std::FILE* const f = std::fopen(storage::placed(file).c_str(), "rb");
    if (f == nullptr && errno == ENOENT) return false;
    if (f != nullptr) std::fclose(f);
    load(file, hooks);  // throws if the file exists and cannot be read
    return true;
}
template <class T>
void TrainerCore<T>::go_to(const SafetensorsFile& file, HooksFromFile hooks) {
    check_own_parameters("load");
    training_.buffers.halt();  // since the file determines the order of records
    LoadedRun loaded;
    model_.write([&] {
        loaded = parts().read(file, hooks);
        model_.remembered().forget();
    });
    training_.step.set_seed(model_.seed());
    training_.give_worker_states();
    set(loaded.run);
    training_.modifiers.set_frozen(loaded.frozen, iteration());
    set_runtime(loaded.runtime);
}

template <class T>
void TrainerCore<T>::set_runtime(double seconds) {
    const double jump = seconds - runtime();
    control_.add_runtime(jump);
    started_ += jump;
    epoch_began_ += jump;
}

template <class T>
int TrainerCore<T>::load_parameters(const std::string& file, const ParameterChoice& choice, Transfer how,
                                    const AnyFunction<std::string(std::string_view)>& rename) {
    check_own_parameters("load_parameters");
    return load_parameters_of<T>(model_, file, choice, how, rename);
}
template <class T>
void TrainerCore<T>::save_parameters(const std::string& file, const ParameterChoice& choice) const {
    save_parameters_of<T>(model_, file, choice);
}

// ---- what callbacks read ----

template <class T>
std::uint64_t TrainerCore<T>::batch() const {
    return std::max<std::uint64_t>(training_.batch, 1) - 1;
}

template <class T>
std::ptrdiff_t TrainerCore<T>::records_at_hand(const char* caller) {
    const std::string what = sentence(caller, " of trainer '", name_, "'");
    if (state() == RunState::running && !control_.on_training_thread())
        throw StateError(what, "a paused or idle trainer, or a call on the training thread",
                         "a call on another thread during a run");
    if (training_.gathered == 0) throw StateError(what, "1 step or more", "0");
    return training_.records_at_hand();
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::TrainerCore);
