// SPDX-License-Identifier: BSL-1.0
#pragma once
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
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/run.hpp>
#include <sigma/trainer/training.hpp>
#include <sigma/trainer/worker_hooks.hpp>
#include <sigma/trainer/workers.hpp>

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

/// What a trainer trains, as data and references: all of it outlives the TrainerCore.
template <class T>
struct Trained {
    ModelStore<T>& model;
    StepCore<T>& step;
    OptimizerPlaces optimizer;
    const NetworkTape& tape;
    std::uint64_t fingerprint;  ///< see training_fingerprint
};

/// What a registry has of a trainer: see TrainerRegistry.
class TrainerEntries {
public:
    virtual ~TrainerEntries() = default;
    /// What hooks compute now.
    virtual void link(const HookList& hooks) = 0;
    /// What is known of the data now.
    virtual void set_iterator() = 0;
    /// Takes everything away; no reader is within the trainer afterwards.
    virtual void close() noexcept = 0;
};

/// What takes the steps of a run.
struct RunPlace {
    Device device = cpu(1);
    SharedOwner<const WorkerSet> workers{};    ///< in place of the device
    SharedOwner<const MachineSet> machines{};  ///< in place of both, by these programs or workers
    SharedOwner<const StepInParts> in_parts{};
    SharedOwner<ComputeGroup> group{};  ///< in place of the device, by these plans
    DataParallelPlans plans{};
    const Program* checked = nullptr;  ///< in place of both the debug device, with the operations of a step
    ListView<LayerRecord> layers{};    ///< those that its nodes belong to
    bool stops_on_interrupt = false;
    bool quiet = false;
};

/// The loss and the accuracy of validation data now, NaN where nothing is right or wrong.
using Validation = AnyFunction<void(double& loss, double& accuracy)>;

/// A trainer where network and optimizer only matter as data: the loop, its commands, checkpoints and what callbacks
/// read. Trainer gives it types.
template <class T>
class TrainerCore : public Commands {
    friend class TrainerRegistry<T>;
    friend struct HookAccess;

public:
    static constexpr std::int64_t without_end = RunOptions::without_end;

    TrainerCore(const TrainerCore&) = delete;
    TrainerCore& operator=(const TrainerCore&) = delete;

    /// Draws anew the parameters whose names match: `initialize("*.weights", gaussian(0.1))`. Of all patterns that were
    /// given the most specific one that matches a parameter decides, in whatever order they came; of two alike the
    /// later.
    void initialize(std::string_view pattern, const Initializer& initializer);
    error_pattern_is_not_the_first_argument<write_the_pattern_first> initialize(const Initializer&, std::string_view);
    /// Changes the matching parameters after every step from now on, `modify("*.weights", clip(-1, 1))`; several
    /// modifiers act in the order they were given. `unmodify` takes them away from the parameters that match.
    template <ModifierOf<T> M>
    void modify(std::string_view pattern, M modifier) {
        add_modifier(pattern, std::move(modifier));
    }
    template <ModifierOf<T> M>
    error_pattern_is_not_the_first_argument<write_the_pattern_first> modify(const M&, std::string_view);
    void unmodify(std::string_view pattern);
    /// The matching parameters, and what the optimizer keeps for them, stay what they are, bit by bit, until
    /// `unfreeze`: neither steps nor modifiers change them.
    void freeze(std::string_view pattern);
    void unfreeze(std::string_view pattern);
    /// To be called by who has changed parameters between two steps of a run: steps before cannot be repeated any more.
    void parameters_changed() { training_.begin_here(); }

    /// Takes away hooks that were added together; by a hook, when those of this moment are through.
    void remove(int number);
    /// What `report` and others write to, a line at a time; the terminal unless changed.
    AnyFunction<void(std::string_view)> output;
    /// Writes a line; from any thread.
    void print(std::string_view line);

    // ---- runs ----

    /// Trains for `epochs` more epochs, or until `stop`, and returns what was seen in each, until the next run begins:
    /// a run goes on where the one before has ended, also within an epoch. Throws NumericError when the loss or a
    /// parameter is no finite number any more; parameters and states are then those before the step in which it
    /// happened. Throws ArgumentError where a number of the optimizer is none that its rule can take, what hooks throw,
    /// and StateError when a run goes on.
    const History& run(Cpu device, std::int64_t epochs = without_end);
    /// The same on any device, `run(gpu())`. Steps are only asked for: values that nobody reads stay on the
    /// accelerator, and a loss that is no finite number is noticed when a loss is read, at the latest at the end of the
    /// epoch. Throws DeviceError, and then all is as at the beginning of the epoch, or of the run if that was within
    /// it.
    const History& run(const Device& device, std::int64_t epochs = without_end);
    /// By several workers, `run(workers(4))`, see `workers`.
    const History& run(const WorkerSet& workers, std::int64_t epochs = without_end);
    void start(const WorkerSet& workers, std::int64_t epochs = without_end);
    /// The same on a thread of its own; `wait` returns when the run has ended, and throws what ended it.
    void start(Cpu device, std::int64_t epochs = without_end);
    void start(const Device& device, std::int64_t epochs = without_end);
    /// Of the present run or the last; to be read on the thread of the run, or between runs.
    const History& history() const { return history_; }

    // ---- data ----

    /// From now on trains on these records, in these batches. Parameters, states of the optimizer, hooks and what has
    /// been counted stay; an epoch that was begun begins anew. Throws, and changes nothing: StateError while a run goes
    /// on, ShapeError or DataError where the network does not take such records, ArgumentError where they went through
    /// other preprocessing than those before or number their classes otherwise.
    void set_data(Minibatches batches);

    /// What the present run is on, or the last one was: "cpu", "cpu, 2 threads", or what an accelerator is called;
    /// empty before the first run. From any thread.
    std::string device_text() const;
    /// f(each worker of the present run by workers); on its thread. Nobody waits for them.
    void visit_workers(const AnyFunction<void(const WorkerStatus&)>& f) const;
    /// Are losses on an accelerator, so that reading one waits for the steps before?
    bool losses_are_elsewhere() const { return elsewhere_; }

    // ---- checkpoints ----

    /// Everything that decides how training goes on, as a safetensors file: parameters, the optimizer with its states,
    /// the position within the epoch, seeds and the state of hooks. A trainer made by the same program that loads it
    /// continues bit by bit as this one, also if it was saved within `with_averages`. Modifiers and functions belong to
    /// the program. The file is replaced as a whole, or not at all: StorageError.
    void save(const std::string& file);
    /// Goes on from a checkpoint, between runs. Throws, and changes nothing, where it does not fit: MismatchError names
    /// the tensors that differ, DataError what is wrong with the file.
    void load(const std::string& file, HooksFromFile hooks = HooksFromFile::all);
    /// Parameters alone, from any safetensors file; see load_parameters of models.
    int load_parameters(const std::string& file, std::string_view pattern = "*", Transfer how = Transfer::whole,
                        const AnyFunction<std::string(std::string_view)>& rename = {});
    void save_parameters(const std::string& file) const;
    /// A checkpoint in memory.
    std::vector<std::byte> checkpoint();

    // ---- what callbacks read ----

    const std::string& name() const { return name_; }
    std::uint64_t epoch() const { return training_.epoch; }  ///< epochs finished
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    std::uint64_t iteration() const { return training_.iteration; }  ///< steps taken
    std::uint64_t batch() const;                                     ///< of the last step, from 0 in each epoch
    std::uint64_t batches_per_epoch() const { return training_.batches().batches_per_epoch(); }
    // Losses may be on an accelerator: reading one on the thread of the run waits for the steps before and fetches it,
    // on another thread it gives the last ones fetched, and the run fetches them again before its next step.
    double loss() const { return training_.refresh(), training_.loss; }  ///< of the last step, 0 before the first
    /// Of one cost in the last step, without its weight; their names are `model().records.costs`.
    double cost(int i) const { return training_.refresh(), training_.losses[static_cast<std::size_t>(i)]; }
    /// The mean loss of the epoch so far.
    double training_loss() const { return training_.refresh(), training_.mean_loss; }
    double samples_per_second() const { return samples_per_second_; }
    const MomentCounts& counts() const { return counts_; }
    const Minibatches& minibatches() const { return training_.batches(); }
    /// Throws ArgumentError where data went through other preprocessing or number their classes otherwise.
    void require_like_training(const Dataset& data) const;
    /// Shall it compare them? Not where it is trained on arrays: only the user knows what these went through.
    void compare_data(bool yes) { compares_data_ = yes; }
    /// Shall `run` show on a terminal how far it is, though there are hooks? Where nothing is to be done after
    /// iterations and epochs and `output` is the terminal's it does, unless it is `quiet`: from the first third of a
    /// second on, on standard error, and a line for the run stays. What goes on beside a program, `start`, says
    /// nothing.
    void show_runs(bool yes) { shows_runs_ = yes; }

protected:
    TrainerCore(std::string name, Minibatches batches, const Trained<T>& trained);
    ~TrainerCore();

    const History& run_on(const RunPlace& place, std::int64_t epochs, const Validation& validation = {});
    void start_on(RunPlace place, std::int64_t epochs, Validation validation = {});
    /// The programs are made where machines take parts of a step.
    static RunPlace place_of(const MachineSet& machines, const AnyFunction<StepInParts()>& programs);
    /// Throws ArgumentError where options make no sense for this trainer; `prepare` does so for the batch size, and
    /// takes it.
    void examine(const RunOptions& options) const;
    void prepare(const RunOptions& options);

    /// The group is made between two steps, too: it looks at the hooks before it and at what they count.
    int add_hooks(const AnyFunction<Owned<HookGroup>()>& make);
    int add_hooks_in_workers(const MakeInWorker<T>& make, const CopyOfModel<T>& copy);
    void add_callback(Moment moment, AnyFunction<void()> f);
    /// The records of the last step, gathered again where an accelerator took it. Throws StateError when there was
    /// none, and while another thread trains.
    std::ptrdiff_t records_at_hand(const char* for_what);
    Training<T>& training() { return training_; }
    /// Throws ArgumentError unless something matched.
    void check_matched(const char* what, std::string_view pattern, int matched) const;

    /// Made at first use, between two steps.
    TrainerEntries& entries(const AnyFunction<Owned<TrainerEntries>()>& make);
    /// To be called first by the destructor of who derives from this.
    void close() noexcept;

private:
    std::vector<AnyFunction<void()>>& callbacks(Moment moment) {
        return moment == Moment::epoch ? on_epoch_ : moment == Moment::stop ? on_stop_ : on_iteration_;
    }
    /// f() while no step is under way, whoever calls: on the thread that trains at once, on others as a command, whose
    /// end they wait for. Throws what f does, and StateError on a thread that the run waits for.
    void between_steps(const AnyFunction<void()>& f);

    std::string name_;
    ModelStore<T>& model_;
    OptimizerPlaces optimizer_;
    std::uint64_t fingerprint_;
    WorkerHookList<T> worker_hooks_;  // which those of the list below belong to
    HookList hooks_;
    mutable Training<T> training_;  // fetches from an accelerator what is read
    Relaxed<std::uint64_t> epochs_planned_;
    Relaxed<double> samples_per_second_;
    double started_ = 0;  ///< the running time when this run began
    std::vector<std::pair<std::string, Initializer>> initializers_;
    std::vector<AnyFunction<void()>> on_iteration_, on_epoch_, on_stop_;
    MomentCounts counts_;
    Mutex print_mutex_;
    mutable Mutex device_mutex_;
    std::string device_text_;
    Relaxed<bool> elsewhere_;
    Signal<TrainerEntries*> linked_;
    Owned<TrainerEntries> entries_;
    bool compares_data_ = true;
    bool shows_runs_ = false;
    bool told_ = false;       ///< what is doubtful about the data
    bool moved_ = false;      ///< a command has set another position
    bool commanded_ = false;  ///< commands are being executed, within a run
    bool within_run_ = false;
    std::uint64_t epochs_of_run_ = 0;  ///< so many the run shall train, from where it begins
    History history_;
    double epoch_began_ = 0;  ///< the running time then

    std::vector<AnyFunction<void()>> after_hooks_;
    RunSnapshot<T> run_start_;
    class View;
    Owned<View> view_;

    /// Throws StateError while the model has averages in place of what is trained.
    void check_own_parameters(std::string_view command) const;
    void add_modifier(std::string_view pattern, typename Modifiers<T>::Modifier modifier);
    void check_epochs(std::int64_t epochs) const;
    void require_own_classes(const Dataset& data) const;
    void take_classes();
    Access::Owner own();
    void note_device(const RunPlace& place);
    void train_on(const RunPlace& place, std::int64_t epochs, const Validation& validation);
    std::string identity(const Device& device, std::int64_t epochs) const;
    void run_begins_here();
    void train(std::int64_t epochs, const Validation& validation, bool shown);
    bool is_shown(const RunPlace& place) const;
    void tell_doubts();
    /// What the environment variable SIGMA_EXPLAIN asks for.
    void explain();
    Progress progress(bool over) const;
    void note_epoch(const Validation& validation);
    void dispatch(Moment moment);
    // What hooks have of it; see HookAccess.
    TrainerView& hook_view();
    StepRecord<T>& step_record() { return training_.step_record; }
    void handle(ControlEvent event);
    void start_again();
    int draw(std::string_view among = {});
    void go_back();
    void go_to(const std::string& file, HooksFromFile hooks);
    void go_to(const SafetensorsFile& file, HooksFromFile hooks);
    Checkpoint<T> parts();
    void set(const RunRecord& r);
    void set_runtime(double seconds);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/trainer_core.ipp>
#endif
