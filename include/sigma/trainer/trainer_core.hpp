// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The members of a trainer that do not depend on its network and optimizer. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/execution/device_group.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/run/run.hpp>
#include <sigma/trainer/run/training.hpp>
#include <sigma/trainer/workers/worker_hooks.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {
struct MachineSet;
}

namespace sigma::detail {
struct Progress;
template <class T>
class TrainerRegistry;

/// References to the typed parts of a trainer, all of which outlive the TrainerCore.
template <class T>
struct Trained {
    ModelStore<T>& model;
    StepCore<T>& step;
    OptimizerPlaces optimizer;
    const NetworkTape& tape;
    std::uint64_t fingerprint;  ///< see training_fingerprint
};

/// The interface of a trainer's registry, see TrainerRegistry.
class TrainerEntries {
public:
    virtual ~TrainerEntries() = default;
    /// Registers the values that the hooks compute.
    virtual void link(const HookList& hooks) = 0;
    /// Registers the current training data.
    virtual void set_iterator() = 0;
    /// Removes all entries, and waits for readers that are within the trainer.
    virtual void close() noexcept = 0;
};

template <class T>
class TrainerCore;

/// The place of a run: a device or a group of devices, workers, or processes, with the programs that it needs beside
/// the step. `enter` makes the steps there, so that a trainer compiles only the places that its program names.
template <class T>
struct RunPlace {
    Device device = cpu(1);
    SharedOwner<const WorkerSet> workers{};    ///< replaces the device
    SharedOwner<const MachineSet> machines{};  ///< replaces both; with `in_parts`, or with workers
    SharedOwner<const StepInParts> in_parts{};
    SharedOwner<ComputeGroup> group{};  ///< replaces the device; with `plans`
    DataParallelPlans plans{};
    const Program* checked = nullptr;  ///< the operations of a step, for the debug device, which replaces the device
    ListView<LayerRecord> layers{};    ///< the layers of the nodes in `checked`
    bool stops_on_interrupt = false;
    bool quiet = false;
    /// Enters the place; null: the device or the group.
    void (TrainerCore<T>::*enter)(const RunPlace&, std::int64_t epochs) = nullptr;
};

/// Computes loss and accuracy of the validation data. The accuracy is NaN if the loss does not define it.
using Validation = AnyFunction<void(double& loss, double& accuracy)>;

/// The part of a trainer that does not depend on the types of network and optimizer: the training loop, commands,
/// checkpoints and the values that callbacks read. Users call its members through Trainer.
template <class T>
class TrainerCore : public Commands {
    friend class TrainerRegistry<T>;
    friend struct HookAccess;

public:
    /// A number of epochs: train until the run is stopped.
    static constexpr std::int64_t without_end = RunOptions::without_end;

    TrainerCore(const TrainerCore&) = delete;
    TrainerCore& operator=(const TrainerCore&) = delete;

    /// Initializes the matching parameters again.
    ///
    /// If several calls match a parameter, the most specific pattern applies, whatever the order of the calls. Of two
    /// equally specific patterns the later one applies.
    ///
    /// @param pattern      names of parameters with `*` for any text, such as `"*.weights"`
    /// @param initializer  such as `gaussian(0.1)`
    /// @throws ArgumentError  if no parameter matches
    /// @throws StateError     in a function that `with_averages` calls
    ///
    /// @par Example
    /// @code
    /// trainer.initialize("*.weights", gaussian(0.1));
    /// @endcode
    void initialize(std::string_view pattern, const Initializer& initializer);
    /// @cond internal
    error_pattern_is_not_the_first_argument<use_the_pattern_first> initialize(const Initializer&, std::string_view);
    /// @endcond
    /// Changes the matching parameters after each further step. Several modifiers act in the order of their calls.
    ///
    /// @param pattern   names of parameters with `*` for any text, such as `"*.weights"`
    /// @param modifier  such as `clip(-1, 1)`, `max_norm(2)` or a function of ParameterRows
    /// @throws ArgumentError  if no parameter matches
    ///
    /// @par Example
    /// @code
    /// trainer.modify("*.weights", clip(-1, 1));
    /// @endcode
    template <ModifierOf<T> M>
    void modify(std::string_view pattern, M modifier) {
        add_modifier(pattern, std::move(modifier));
    }
    /// @cond internal
    template <ModifierOf<T> M>
    error_pattern_is_not_the_first_argument<use_the_pattern_first> modify(const M&, std::string_view);
    /// @endcond
    /// Removes all modifiers of the matching parameters.
    /// @param pattern  names of parameters with `*` for any text
    /// @throws ArgumentError  if no parameter matches
    /// @see modify
    void unmodify(std::string_view pattern);
    /// Freezes the matching parameters and the optimizer's states for them: neither steps nor modifiers change them.
    ///
    /// @param pattern  names of parameters with `*` for any text, such as `"1-*"` for the first layer
    /// @throws ArgumentError  if no parameter matches
    ///
    /// @par Example
    /// @code
    /// trainer.freeze("1-*");
    /// trainer.run(cpu(), 1);
    /// trainer.unfreeze("1-*");
    /// @endcode
    void freeze(std::string_view pattern);
    /// Resumes training of the matching parameters.
    /// @param pattern  names of parameters with `*` for any text
    /// @throws ArgumentError  if no parameter matches
    /// @see freeze
    void unfreeze(std::string_view pattern);
    /// Notes that you have changed parameters between two steps of a run, so that the trainer does not repeat earlier
    /// steps.
    ///
    /// The trainer repeats the steps of an epoch to find the layer in which a NaN appears first. Call this function
    /// after a callback has written parameters through `model()`.
    void parameters_changed() { training_.begin_here(); }

    /// Removes hooks. A hook may remove itself; it is removed when all hooks of this moment have run.
    /// @param number  returned by `add`
    /// @throws ArgumentError  if there are no hooks with this number
    void remove(int number);
    /// The function that `report` and other hooks write lines to. Default: writes to standard output.
    AnyFunction<void(std::string_view)> output;
    /// Writes a line to `output`, from any thread.
    /// @param line  text without a newline at its end
    void print(std::string_view line);

    // ---- runs ----

    /// Trains on the CPU, and returns when the run has ended. A run continues where the previous one ended, even within
    /// an epoch.
    ///
    /// @param device  `cpu()` for all cores, `cpu(2)` for two threads
    /// @param epochs  number of further epochs; default: until the run is stopped
    /// @return the results of each epoch, until the next run begins
    /// @throws NumericError   if the loss or a parameter is not finite. Parameters and states are then those before the
    ///                        step in which that happened.
    /// @throws ArgumentError  if an optimizer hyperparameter is out of range
    /// @throws HookError      if a hook throws
    /// @throws StateError     if the trainer is running already
    ///
    /// @par Example
    /// @code
    /// trainer.run(cpu(2), 5);
    /// @endcode
    const History& run(Cpu device, std::int64_t epochs = without_end);
    /// Trains on any device, and returns when the run has ended.
    ///
    /// Steps of an accelerator are queued. Values that no hook reads stay on the accelerator. A loss that is not finite
    /// is noticed when a loss is read, at the latest at the end of the epoch.
    ///
    /// @param device  such as `gpu()`
    /// @param epochs  number of further epochs; default: until the run is stopped
    /// @return the results of each epoch, until the next run begins
    /// @throws DeviceError  if the device fails. The state of the trainer is then as at the beginning of the epoch, or
    ///                      of the run if the run began within this epoch.
    /// @throws Error        as on the CPU
    const History& run(const Device& device, std::int64_t epochs = without_end);
    /// Trains separate networks in several workers and merges them, see `workers`.
    /// @param workers  such as `workers(4)`
    /// @param epochs   number of further epochs; default: until the run is stopped
    /// @return the results of each epoch, until the next run begins
    /// @throws ArgumentError  if no parameter matches the pattern of a merge
    /// @throws Error          as `run(device, epochs)` does
    /// @see workers, docs/workers.md
    const History& run(const WorkerSet& workers, std::int64_t epochs = without_end);
    /// Begins a run by several workers on another thread, and returns. Call `wait` for its end.
    /// @param workers  such as `workers(4)`
    /// @param epochs   number of further epochs; default: until the run is stopped
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if `epochs` is negative. `wait` throws all errors of the run.
    void start(const WorkerSet& workers, std::int64_t epochs = without_end);
    /// Begins a run on another thread, and returns.
    ///
    /// Call `wait` for the end of the run: it throws the exception that ended the run.
    ///
    /// @param device  `cpu()` for all cores, `cpu(2)` for two threads
    /// @param epochs  number of further epochs; default: until the run is stopped
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if `epochs` is negative. `wait` throws all errors of the run.
    ///
    /// @par Example
    /// @code
    /// trainer.start(cpu(), 5);
    /// trainer.pause().wait();
    /// trainer.resume();
    /// trainer.wait();
    /// @endcode
    void start(Cpu device, std::int64_t epochs = without_end);
    /// Begins a run on any device on another thread, and returns. Call `wait` for its end.
    /// @param device  such as `gpu()`
    /// @param epochs  number of further epochs; default: until the run is stopped
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if `epochs` is negative. `wait` throws all errors of the run.
    void start(const Device& device, std::int64_t epochs = without_end);
    /// Returns the results of each epoch of the current or last run. Read it on the training thread, or between runs.
    const History& history() const { return history_; }

    // ---- data ----

    /// Replaces the training data. Parameters, states of the optimizer, hooks and counts stay.
    ///
    /// An epoch that is not finished begins again. If the call throws, nothing has changed.
    ///
    /// @param batches  the new data with the batch size and the seed of their order
    /// @throws StateError     if the trainer is running or paused
    /// @throws ShapeError     if the shapes of the records do not match the network
    /// @throws DataError      if the records do not match the network
    /// @throws ArgumentError  if the data have other preprocessing or other classes than the previous data
    ///
    /// @par Example
    /// @code
    /// trainer.set_data(minibatches(testing, 64));
    /// @endcode
    void set_data(Minibatches batches);

    /// Returns the device of the current or last run, from any thread.
    /// @return such as "cpu", "cpu, 2 threads" or the name of an accelerator; empty before the first run
    std::string device_text() const;
    /// Calls a function for each worker of the current run. Call it on the training thread. It does not wait for
    /// workers.
    /// @param function  called with the WorkerStatus of each worker; not called if the run has no workers
    ///
    /// @par Example
    /// @code
    /// trainer.on_epoch([](auto& t) {
    ///     t.visit_workers([&](const WorkerStatus& worker) { t.print(worker.device); });
    /// });
    /// @endcode
    void visit_workers(const AnyFunction<void(const WorkerStatus&)>& function) const;
    /// @cond internal
    /// Returns whether losses are on an accelerator, so that reading one waits for the steps before.
    bool losses_are_elsewhere() const { return elsewhere_; }
    /// @endcond

    // ---- checkpoints ----

    /// Saves a checkpoint: a safetensors file with everything that training continues from.
    ///
    /// A checkpoint holds the parameters, the optimizer with its states, the position within the epoch, seeds, and the
    /// state of hooks. A trainer of the same program that loads it continues bit-identically, even if it was saved
    /// within `with_averages`. Modifiers and functions are not saved. The old file stays if writing fails.
    ///
    /// @param file  path of the file, by convention with the ending `.sigma`
    /// @throws StorageError  if the file cannot be written
    /// @throws StateError    if the loss of the last step is not finite, which ends the run
    ///
    /// @par Example
    /// @code
    /// trainer.save("digits.sigma");
    /// trainer.load("digits.sigma");
    /// @endcode
    /// @see docs/checkpoints.md
    void save(const std::string& file);
    /// Loads a checkpoint. Call it between runs, or during a run from another thread or in a function of `post`. If it
    /// throws, nothing has changed.
    /// @param file   written by `save`
    /// @param hooks  whether hooks continue from the file (default), or start again
    /// @throws MismatchError  if the network, the optimizer, the data or the hooks differ; names the tensors that
    ///                        differ
    /// @throws DataError      if the file is damaged or has another format
    /// @throws StorageError   if the file cannot be read
    /// @throws StateError     if a hook or callback calls it, or within `with_averages`
    void load(const std::string& file, HooksFromFile hooks = HooksFromFile::all);
    /// Loads a checkpoint if the file exists, so that a program continues its last run or begins the first one.
    /// @param file   written by `save`
    /// @param hooks  whether hooks continue from the file (default), or start again
    /// @return whether the file exists
    /// @throws Error  as `load` does if the file exists
    ///
    /// @par Example
    /// @code
    /// if (!trainer.load_if_exists("digits.sigma")) std::puts("begins a new run");
    /// trainer.run(cpu(), 20 - trainer.epoch());
    /// @endcode
    /// @see load
    bool load_if_exists(const std::string& file, HooksFromFile hooks = HooksFromFile::all);
    /// Loads parameters alone from any safetensors file, as `load_parameters(model, file)` does.
    /// @param file      path of the file
    /// @param choice    a pattern of names, with `*` for any text, or a function; default: all
    /// @param how       how to transfer tensors, see Transfer
    /// @param rename    maps the name of a parameter to its name in the file; default: no change
    /// @return the number of parameters that were loaded
    /// @throws StateError  in a function that `with_averages` calls
    /// @throws Error       as `load_parameters(model, file)` does
    /// @see load_parameters
    int load_parameters(const std::string& file, const ParameterChoice& choice = "*", Transfer how = Transfer::whole,
                        const AnyFunction<std::string(std::string_view)>& rename = {});
    /// Saves the parameters alone as a safetensors file.
    /// @param file    path of the file
    /// @param choice  a pattern of names, with `*` for any text, or a function; default: all
    /// @throws StorageError   if the file cannot be written
    /// @throws MismatchError  if no parameter is chosen
    /// @see save_parameters
    void save_parameters(const std::string& file, const ParameterChoice& choice = "*") const;
    /// @cond internal
    /// Returns a checkpoint as the bytes that `save` would write.
    std::vector<std::byte> checkpoint();
    /// @endcond

    // ---- what callbacks read ----

    /// Returns the name of the trainer.
    const std::string& name() const { return name_; }
    /// Returns the number of finished epochs.
    std::uint64_t epoch() const { return training_.epoch; }
    /// Returns the value of `epoch()` at which the current or last run ends; very large for a run without end.
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    /// Returns the number of iterations so far.
    std::uint64_t iteration() const { return training_.iteration; }
    /// Returns the number of the last step's batch, from 0 in each epoch.
    std::uint64_t batch() const;
    /// Returns the number of batches in an epoch.
    std::uint64_t batches_per_epoch() const { return training_.batches().batches_per_epoch(); }
    // Losses may be on an accelerator. Reading one on the training thread waits for the steps before and fetches it. On
    // another thread it returns the last loss that was fetched, and the run fetches the losses before its next step.
    /// Returns the loss of the last step, before its update; 0 before the first step.
    double loss() const { return training_.refresh(), training_.loss; }
    /// Returns the loss of one cost in the last step, without the weight of the cost.
    /// @param index  position in `model().records.costs`, from 0
    double cost(int index) const { return training_.refresh(), training_.losses[static_cast<std::size_t>(index)]; }
    /// Returns the mean loss of the epoch so far.
    double training_loss() const { return training_.refresh(), training_.mean_loss; }
    /// Returns the number of records per second in the current or last run.
    double samples_per_second() const { return samples_per_second_; }
    /// Returns how many moments of each kind there have been, such as `counts()[Moment::epoch]`.
    const MomentCounts& counts() const { return counts_; }
    /// Returns the training data with the batch size and the seed of their order.
    const Minibatches& minibatches() const { return training_.batches(); }
    /// Checks that data have the preprocessing and the classes of the training data.
    /// @param data  data to compare with the training data
    /// @throws ArgumentError  if the data have other preprocessing or other classes
    void require_like_training(const Dataset& data) const;
    /// @cond internal
    /// Switches the comparison in `require_like_training` on (default) or off. Switch it off if you train on arrays,
    /// since their preprocessing is unknown.
    /// @param yes  whether to compare
    void compare_data(bool yes) { compares_data_ = yes; }
    /// @endcond
    /// Shows the progress of `run` on a terminal even if there are hooks.
    ///
    /// By default `run` shows its progress if there are no hooks and callbacks, `output` is unchanged, and the run is
    /// not `quiet`. Progress appears on standard error after a third of a second, and one line for the run stays.
    /// `start` shows nothing.
    ///
    /// @param yes  whether to show progress in spite of hooks
    void show_runs(bool yes) { shows_runs_ = yes; }

protected:
    TrainerCore(std::string name, Minibatches batches, const Trained<T>& trained);
    ~TrainerCore();

    const History& run_on(const RunPlace<T>& place, std::int64_t epochs, const Validation& validation = {});
    void start_on(RunPlace<T> place, std::int64_t epochs, Validation validation = {});
    const History& run_checked(const Program& operations, ListView<LayerRecord> layers, std::int64_t epochs);
    /// Returns the place of a run in several processes. Calls `programs` only if the processes split each batch.
    static RunPlace<T> in_workers(const WorkerSet& workers);
    static RunPlace<T> place_of(const MachineSet& machines, const AnyFunction<StepInParts()>& programs);
    /// Throws ArgumentError if an option other than the batch size is out of range.
    void examine(const RunOptions& options) const;
    /// Sets the batch size. Throws ArgumentError if it is out of range.
    void prepare(const RunOptions& options);

    /// Adds hooks between two steps. `make` is called then, too, since it reads the earlier hooks and their counters.
    int add_hooks(const AnyFunction<Owned<HookGroup>()>& make);
    int add_hooks_in_workers(const MakeInWorker<T>& make, const CopyOfModel<T>& copy);
    void add_callback(Moment moment, AnyFunction<void()> function);
    void add_callback(CheckpointEvent event, AnyFunction<void(const std::string& file)> function);
    /// Gathers the records of the last step again if an accelerator took the step, and returns how many there are.
    /// Throws StateError before the first step, and while another thread trains.
    std::ptrdiff_t records_at_hand(const char* caller);
    Training<T>& training() { return training_; }
    /// Throws ArgumentError if no parameter matched.
    void check_matched(const char* what, std::string_view pattern, int matched) const;

    /// Returns the entries of the registry, which the first call makes between two steps.
    TrainerEntries& entries(const AnyFunction<Owned<TrainerEntries>()>& make);
    /// Ends a run and closes the registry. Destructors of derived classes call it first.
    void close() noexcept;

private:
    std::vector<AnyFunction<void()>>& callbacks(Moment moment) {
        return moment == Moment::epoch   ? on_epoch_
               : moment == Moment::stop  ? on_stop_
               : moment == Moment::reset ? on_reset_
                                         : on_iteration_;
    }
    /// Calls a function between two steps: at once on the training thread, as a command on other threads, which wait
    /// for its end. Throws what the function throws, and StateError on a thread that the run waits for.
    void between_steps(const AnyFunction<void()>& function);

    std::string name_;
    ModelStore<T>& model_;
    OptimizerPlaces optimizers_;
    std::uint64_t fingerprint_;
    WorkerHookList<T> worker_hooks_;  // declared before hooks_, which refers to it
    HookList hooks_;
    mutable Training<T> training_;  // mutable: reading a loss fetches it from an accelerator
    Relaxed<std::uint64_t> epochs_planned_;
    Relaxed<double> samples_per_second_;
    double started_ = 0;  ///< the running time when this run began
    std::vector<std::pair<std::string, Initializer>> initializers_;
    std::vector<AnyFunction<void()>> on_iteration_, on_epoch_, on_stop_, on_reset_;
    std::vector<AnyFunction<void(const std::string&)>> on_save_, on_load_;
    MomentCounts counts_;
    Mutex print_mutex_;
    mutable Mutex device_mutex_;
    std::string device_text_;
    Relaxed<bool> elsewhere_;
    Signal<TrainerEntries*> linked_;
    Owned<TrainerEntries> entries_;
    bool compares_data_ = true;
    bool shows_runs_ = false;
    bool warned_about_data_ = false;
    bool moved_ = false;      ///< a command has changed the position within the epoch
    bool commanded_ = false;  ///< commands are being executed within a run
    bool within_run_ = false;
    std::uint64_t epochs_of_run_ = 0;  ///< epochs that the current run is to train
    History history_;
    double epoch_began_ = 0;  ///< running time at the beginning of the epoch

    std::vector<AnyFunction<void()>> after_hooks_;
    RunSnapshot<T> run_start_;
    class View;
    Owned<View> view_;

    /// Throws StateError while the model holds averages instead of the trained parameters.
    void check_own_parameters(std::string_view command) const;
    void add_modifier(std::string_view pattern, typename Modifiers<T>::Modifier modifier);
    void check_epochs(std::int64_t epochs) const;
    void require_own_classes(const Dataset& data) const;
    void take_classes();
    Access::Owner own();
    void note_device(const RunPlace<T>& place);
    void train_on(const RunPlace<T>& place, std::int64_t epochs, const Validation& validation);
    void enter_device(const RunPlace<T>& place, std::int64_t epochs);
    void enter_debug(const RunPlace<T>& place, std::int64_t epochs);
    void enter_workers(const RunPlace<T>& place, std::int64_t epochs);
    void enter_machines(const RunPlace<T>& place, std::int64_t epochs);
    std::string identity(const Device& device, std::int64_t epochs) const;
    void run_begins_here();
    void train(std::int64_t epochs, const Validation& validation, bool shown);
    bool is_shown(const RunPlace<T>& place) const;
    void warn_about_data();
    /// Prints what the environment variable SIGMA_EXPLAIN selects.
    void explain();
    Progress progress(bool over) const;
    void note_epoch(const Validation& validation);
    void dispatch(Moment moment);
    // The members that hooks use, see HookAccess.
    TrainerView& hook_view();
    StepRecord<T>& step_record() { return training_.step_record; }
    void handle(ControlEvent event);
    void start_again();
    int draw(std::string_view pattern = {});
    void go_back();
    void go_to(const std::string& file, HooksFromFile hooks);
    void go_to(const SafetensorsFile& file, HooksFromFile hooks);
    /// Tells hooks and callbacks that a checkpoint was saved or loaded.
    void checkpoint_done(CheckpointEvent event, const std::string& file);
    Checkpoint<T> parts();
    void set(const RunRecord& r);
    void set_runtime(double seconds);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/trainer_core.ipp>
#endif
