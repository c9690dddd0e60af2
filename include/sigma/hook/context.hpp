// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The context through which criteria and actions reach the trainer. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/list.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/hook/value.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma {

class Dataset;
class ParameterChoice;
class TrainerView;

namespace detail {

struct AnyStore;
struct GroupedHook;
class RunningHooks;

/// A tensor of a step that was kept. Consecutive rows are `stride` elements of the model's type apart. The output of a
/// layer is one row, so `stride` is its number of elements.
struct KeptTensor {
    const void* data = nullptr;  ///< null if the tensor was not kept
    std::ptrdiff_t stride = 0;
};

/// The place of a computed value. One thread writes it, any thread reads it.
struct Slot {
    Relaxed<double> value = std::numeric_limits<double>::quiet_NaN();
    Signal<std::uint64_t> version;  ///< number of times that the value was computed

    void publish(double x);
    void restart();
};

/// A value that hooks compute, for hooks that others add later.
struct ComputedValue {
    SharedOwner<const Slot> slot{};  ///< null if no hook computes the value
    MomentSet moments{};             ///< moments at which the value may be computed
    int rank = 0;                    ///< rank of how rarely that is: 0 each iteration, 1 each epoch, 2 less often
    std::uint64_t interval = 0;      ///< every how many of its scale the value is computed; 0 if irregular
    bool in_background = false;
    std::string hook{};  ///< name of the hook that computes it
};

/// @cond internal  (of TrainerView)

/// The counts and measurements of a trainer that values read.
class TrainerValues {
public:
    virtual ~TrainerValues() = default;
    virtual const MomentCounts& counts() const = 0;
    virtual double runtime() const = 0;
    virtual std::uint64_t epoch() const = 0;
    virtual std::uint64_t iteration() const = 0;
    virtual double loss() const = 0;
    virtual double training_loss() const = 0;
    virtual double samples_per_second() const = 0;
    /// Returns the learning rate; NaN if the optimizer has none.
    virtual double learning_rate() const = 0;
    /// Returns the number of a worker, from 1; 0 if there are no workers.
    virtual int worker() const { return 0; }
};

/// The commands that hooks give to a trainer. `print`, `stop` and `post` may be called on any thread, all others on the
/// trainer's thread.
class TrainerCommands {
public:
    virtual ~TrainerCommands() = default;
    virtual void print(std::string_view line) = 0;
    virtual void stop() = 0;
    virtual void pause() = 0;
    virtual void reset() = 0;
    /// Calls a function between two iterations.
    virtual void post(AnyFunction<void()> f) = 0;
    /// Calls a function after all hooks of this moment.
    virtual void after_hooks(AnyFunction<void()> f) = 0;
    virtual void set_learning_rate(double rate) = 0;

    virtual void save_after_hooks(std::string file) = 0;
    virtual void load_after_hooks(std::string file) = 0;
    virtual void load_parameters(const std::string& file, const ParameterChoice& choice) = 0;
    virtual std::vector<std::byte> checkpoint() = 0;
    virtual void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const = 0;

    /// Throws ArgumentError if a hyperparameter of the optimizer is out of range.
    virtual void check_optimizer() const = 0;
    /// Throws ArgumentError if the data were preprocessed otherwise than the training data, or number classes
    /// otherwise.
    virtual void require_like_training(const Dataset& data) const = 0;
};

/// The parameters of a trainer, and what was kept of its last step. For the trainer's thread.
class TrainerParameters {
public:
    virtual ~TrainerParameters() = default;
    virtual AnyStore parameters() = 0;
    virtual void parameters_changed() = 0;
    virtual void freeze(std::string_view pattern) = 0;
    virtual void unfreeze(std::string_view pattern) = 0;
    virtual bool frozen(int parameter) const = 0;
    /// Returns the gradient of a parameter in the last step; `before` returns the parameter before that step.
    virtual KeptTensor gradient(int parameter) = 0;
    virtual KeptTensor before(int parameter) = 0;
    /// Returns the output of a layer before the last step, for the records of that step.
    virtual KeptTensor output(int layer) = 0;
    /// Calls f for each worker of the run, or for the trainer if there are no workers.
    virtual void for_each_worker(const AnyFunction<void(TrainerView&)>& f) = 0;
    /// Registers a reading of each worker and returns its number. The numbers agree across processes, because all
    /// processes register the same readings in the same order.
    virtual int add_reading(AnyFunction<double(TrainerView&)> f) = 0;
    virtual std::vector<double> read_of_workers(int reading) = 0;
};

/// @endcond
}  // namespace detail

/// The part of a trainer that hooks can use without the trainer's type.
///
/// @see HookContext
class TrainerView : public detail::TrainerValues, public detail::TrainerCommands, public detail::TrainerParameters {
public:
    /// @cond internal
    /// Constructs the view of a trainer.
    explicit TrainerView(const void* trainer) : trainer_(trainer) {}
    TrainerView(const TrainerView&) = delete;
    TrainerView& operator=(const TrainerView&) = delete;

    /// Returns the address of the trainer, which identifies it.
    const void* trainer() const { return trainer_; }
    /// Returns the name of the trainer. Any thread may call this function.
    virtual const std::string& name() const = 0;
    void for_each_worker(const detail::AnyFunction<void(TrainerView&)>& f) override { f(*this); }
    /// Returns the value that hooks which were added earlier compute.
    virtual detail::ComputedValue find_computed(const detail::ValueRecord&) const { return {}; }
    /// Returns the value that hooks in this worker compute.
    virtual detail::ComputedValue find_computed_in_worker(const detail::ValueRecord&) const { return {}; }
    int add_reading(detail::AnyFunction<double(TrainerView&)> f) override {
        readings_.push_back(std::move(f));
        return static_cast<int>(readings_.size()) - 1;
    }
    std::vector<double> read_of_workers(int reading) override { return {read(reading, *this)}; }
    /// Returns a reading of a worker. Throws ArgumentError if no such reading was registered here.
    double read(int reading, TrainerView& worker) const;

protected:
    /// Wraps work that a hook postpones to the end of a moment. An error of that work carries the name of the hook,
    /// which may have been removed by then, and ends the run or is printed as the hook's `on_error` requires.
    detail::AnyFunction<void()> of_acting_hook(detail::AnyFunction<void()> f);

private:
    friend class detail::RunningHooks;
    const void* trainer_;
    const detail::GroupedHook* acting_ = nullptr;
    std::vector<detail::AnyFunction<double(TrainerView&)>> readings_{};
    /// @endcond
};

namespace detail {

/// The values of hooks that are added together: a slot for each value that they compute, and for each value of the
/// user's own the function that reads it from a trainer of its type.
class Slots {
public:
    struct Reader {
        const void* id;
        AnyFunction<double()> read;
    };

    Slots(const ValueRecord* const* computed, int count, List<Reader> readers);

    int size() const { return count_; }
    Slot& operator[](int i) { return slots_.get()[i]; }
    const ValueRecord& record(int i) const { return *computed_[i]; }
    /// Returns the slot of a value. Throws ArgumentError if no hook of the group names the value.
    Slot& of(const ValueRecord& computed);
    const Slot& read_of(const ValueRecord& computed) const;
    /// Makes value i refer to the slot of a hook of another group, which computes it.
    void link(int i, SharedOwner<const Slot> slot);
    bool is_linked(int i) const { return static_cast<bool>(linked_[i]); }
    /// Returns the slot for a reader that may outlive the hooks.
    SharedOwner<const Slot> share(int i) const { return {slots_, &slots_.get()[i]}; }
    /// Returns the number of a live value.
    double read(const ValueRecord& live, const TrainerValues& trainer) const;

private:
    const ValueRecord* const* computed_;
    int count_;
    SharedOwner<Slot> slots_;  ///< the first of `count_` slots
    List<Reader> readers_;
    List<SharedOwner<const Slot>> linked_;  ///< slot of another group for each value; null if this group computes it

    int position_of(const ValueRecord& computed) const;
};

/// The state of the moment in which a background hook fired: values, and if an action needs them the parameters or a
/// checkpoint.
struct Snapshot {
    Moment moment = Moment::iteration;
    MomentCounts counts{};
    double runtime = 0;
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t due = 0;  ///< hooks that fired, one bit for each
    struct Entry {
        const void* id;
        double value;
        std::uint64_t version;  ///< number of times that the value had been computed
    };
    List<Entry> values{};
    detail::SharedOwner<void> model{};  ///< a copy of the trainer's model
    std::vector<std::byte> checkpoint{};

    const Entry* find(const void* id) const;
};

/// The access of hooks to private parts of a trainer.
struct HookAccess {
    template <class T>
    static TrainerView& view(T& trainer) {
        if constexpr (std::is_base_of_v<TrainerView, T>) return trainer;
        else return trainer.hook_view();
    }
    template <class T>
    static auto& step_record(T& trainer) {
        return trainer.step_record();
    }
};

/// The time limit of a background hook, for the job that began at `job`.
struct Expiry {
    const detail::Relaxed<std::int64_t>& expired;
    std::int64_t job;

    bool now() const { return expired == job; }
};

}  // namespace detail

/// The trainer as criteria and actions see it: its present state on the trainer's thread, a snapshot in the background.
///
/// An action of your own gets a LiveContext or a BackgroundContext, which add functions that need the trainer's type.
///
/// @par Example
/// @code
/// struct Bell : Action<Bell> {
///     static void run(HookContext& context) { context.print(context.name() + ": ding"); }
///     static std::string text() { return "bell"; }
/// };
/// trainer.add(every(1, epoch).then(Bell{}));
/// @endcode
class HookContext {
public:
    /// @cond internal
    HookContext(TrainerView& trainer, detail::Slots& cells, Moment moment)
        : trainer_(&trainer), slots_(&cells), moment_(moment) {}
    HookContext(TrainerView& trainer, detail::Slots& cells, const detail::Snapshot& snapshot,
                const detail::Expiry& expiry)
        : trainer_(&trainer), slots_(&cells), moment_(snapshot.moment), snapshot_(&snapshot), expiry_(&expiry) {}
    /// @endcond

    /// Returns the kind of moment at which the hook fired.
    /// @return the kind
    Moment moment() const { return moment_; }
    /// Returns how often each kind of moment has occurred.
    /// @return the counts
    const MomentCounts& counts() const;
    /// Returns the seconds of training so far, without pauses.
    /// @return seconds
    double runtime() const;
    /// @cond internal
    /// Returns whether the hook itself determines when its criterion is evaluated, as in `every(…).when(…)`.
    bool timed() const { return timed_; }
    HookContext as_timed() const;
    /// @endcond

    /// Returns the number of a value that the action lists in `Reads`.
    /// @param value  the value, such as `loss`
    /// @return the number; NaN if the value was never computed
    /// @throws ArgumentError  if the action does not list the value
    template <AnyValue V>
    double get(const V& value) const {
        return get(detail::value_of(value));
    }
    /// @cond internal
    double get(const detail::ValueHandle& value) const;
    /// Returns how often a value was computed, if the value counts that.
    std::uint64_t version(const detail::ValueHandle& value) const;
    /// @endcond
    /// Sets the number of a value that the action lists in `Writes`.
    /// @tparam V  type of the value, such as `Computed<"gap">`
    /// @param number  the new number
    template <class V>
    void publish(double number) const {
        publish(detail::value_record<V>, number);
    }
    /// @cond internal
    void publish(const detail::ValueRecord& computed, double x) const;
    /// @endcond

    /// Returns the name of the trainer.
    /// @return the name
    const std::string& name() const { return trainer_->name(); }
    /// Prints a line through the trainer's `print`.
    /// @param line  text without a line break
    void print(std::string_view line) const { trainer_->print(line); }
    /// Ends the run after the hooks of this moment.
    void stop() const { trainer_->stop(); }
    /// Changes the trainer: immediately on the trainer's thread, before its next iteration in the background.
    /// @param function  function of the trainer
    void change(detail::AnyFunction<void(TrainerView&)> function) const;
    /// Checks that data were preprocessed like the training data and number classes in the same way.
    /// @param data  data set to check
    /// @throws ArgumentError  if preprocessing or classes differ
    void require_like_training(const Dataset& data) const { trainer_->require_like_training(data); }
    /// Writes a checkpoint: after all hooks of this moment on the trainer's thread, immediately from the snapshot in
    /// the background.
    /// @param file  name of the file
    /// @throws StorageError  if the file cannot be written: at once in the background, else when the hooks have run
    void save(std::string file) const;
    /// @cond internal
    /// Calls a function after all hooks of this moment, when the files of `save` are written.
    void afterwards(detail::AnyFunction<void()> f) const;
    /// @endcond
    /// Returns whether the time limit of the hook has passed. An action that takes long should return then.
    /// @return true if so
    bool expired() const { return expiry_ != nullptr && expiry_->now(); }

    /// @cond internal
    /// Returns the view of the trainer, for actions that run on its thread.
    TrainerView& view() const { return *trainer_; }
    /// @endcond

protected:
    const detail::Snapshot* snapshot() const { return snapshot_; }

private:
    TrainerView* trainer_;
    detail::Slots* slots_;
    Moment moment_;
    bool timed_ = false;
    const detail::Snapshot* snapshot_ = nullptr;
    const detail::Expiry* expiry_ = nullptr;
};

namespace detail {

/// The result of evaluating a criterion. `level`: it is true now. `event`: something new has made it true. `fresh`:
/// something was new; otherwise `level` is unchanged. Hooks fire on events.
struct Truth {
    bool level = false, event = false, fresh = false;
    friend bool operator==(const Truth&, const Truth&) = default;
};

/// A criterion at run time, with its counters. Each hook of each trainer has one.
class CriterionNode {
public:
    virtual ~CriterionNode() = default;
    virtual Owned<CriterionNode> clone() const = 0;
    virtual Truth examine(HookContext& context) = 0;
    /// Returns the level while nothing is new: false for pulses.
    virtual bool held() const { return false; }
    virtual void restart(const MomentCounts& counts) = 0;
    virtual void archive(Archive& a) = 0;
    virtual std::string text() const = 0;
    virtual void visit_values(const ValueVisitor&) {}
    /// Returns the number n of `every(n, scale)`; 0 if the criterion is irregular.
    virtual std::uint64_t interval() const { return 0; }
    /// Returns whether the criterion can fire when its scale has this count. False only if it certainly will not.
    virtual bool due(std::uint64_t) const { return true; }
};
using CriterionHandle = SharedOwner<const CriterionNode>;

/// Returns whether a value is new for a criterion since the last evaluation. Computed and derived values are new when
/// they are computed. Live values are new at their own moment, or at the times of `every(…).when(…)`.
bool is_fresh(const HookContext& context, const ValueHandle& v, std::uint64_t& seen);

/// The kinds of events of a checkpoint.
enum class CheckpointEvent { saved, loaded };

/// An action at run time. Each hook of each trainer has one. The defaults are those of an action that reads nothing and
/// keeps no state.
class ActionNode {
public:
    virtual ~ActionNode() = default;
    /// Returns a copy; null for actions of the user's own, which belong to one trainer.
    virtual Owned<ActionNode> clone() const { return nullptr; }
    virtual void run(HookContext& context) = 0;
    /// Forgets the state. Called when the hook is added and after a reset of the trainer, on the trainer's thread.
    virtual void restart(HookContext&) {}
    virtual void archive(Archive&) {}
    /// Called after a checkpoint was saved to or loaded from a file, on the trainer's thread.
    virtual void checkpoint_done(HookContext&, CheckpointEvent, const std::string& /*file*/) {}
    virtual void visit_values(const ValueVisitor&) {}
    virtual std::string text() const = 0;
};
using ActionHandle = SharedOwner<const ActionNode>;

}  // namespace detail

/// The context of actions of your own on the trainer's thread.
///
/// @tparam Trainer  type of the trainer
///
/// @see Action, BackgroundContext
template <class Trainer>
class LiveContext : public HookContext {
public:
    static constexpr bool live = true;  ///< true on the trainer's thread

    /// @cond internal
    LiveContext(const HookContext& context, Trainer& trainer) : HookContext(context), trainer_(trainer) {}
    /// @endcond
    /// Returns the trainer.
    /// @return the trainer
    Trainer& trainer() const { return trainer_; }
    /// Returns the number of a value that the action lists in `Reads`.
    /// @param value  the value, such as `loss`
    /// @return the number
    template <AnyValue V>
    double get(const V& value) const {
        if constexpr (V::computed || detail::is_derived<V> || detail::is_read_of_values<V>)
            return HookContext::get(value);
        else return value.read(trainer_);
    }
    /// Calls a function of the trainer immediately.
    /// @param function  function of a trainer
    template <class F>
    void change(F function) const {
        function(trainer_);
    }
    /// Returns the model that is trained.
    /// @return the model
    auto& model() const { return trainer_.model(); }
    /// Returns accuracy and mean loss of a data set with the present parameters, as `trainer.evaluate(data)`.
    /// @param data  data set that fits the network
    /// @return the accuracy and mean loss
    auto score(const auto& data) const { return trainer_.evaluate(data); }
    /// Checks that data were preprocessed like the training data and number classes in the same way.
    /// @param data  data set to check
    /// @throws ArgumentError  if preprocessing or classes differ
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

private:
    Trainer& trainer_;
};

/// The context of actions of your own in the background.
///
/// @tparam Trainer  type of the trainer
///
/// @see Action, LiveContext
template <class Trainer>
class BackgroundContext : public HookContext {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

public:
    static constexpr bool live = false;  ///< false in the background

    /// @cond internal
    BackgroundContext(const HookContext& context, Trainer& trainer) : HookContext(context), trainer_(trainer) {}
    /// @endcond
    /// Calls a function of the trainer on the trainer's thread, before its next iteration.
    /// @param function  function of a trainer; it is copied
    template <class F>
    void change(F function) const {
        trainer_.post([&trainer = trainer_, function] { function(trainer); });
    }
    /// Returns the model of the snapshot. The action must have `needs = Needs::parameters`.
    /// @return the model
    Model& model() const { return *static_cast<Model*>(snapshot()->model.get()); }
    /// Returns accuracy and mean loss of a data set with the parameters of the snapshot. The action must have `needs =
    /// Needs::parameters`.
    /// @param data  data set that fits the network
    /// @return the accuracy and mean loss
    /// @throws ArgumentError  if the data were preprocessed otherwise than the training data, or number classes
    ///     otherwise
    auto score(const auto& data) const {
        trainer_.require_like_training(data);
        return Trainer::evaluate(model(), data);
    }
    /// Checks that data were preprocessed like the training data and number classes in the same way.
    /// @param data  data set to check
    /// @throws ArgumentError  if preprocessing or classes differ
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

private:
    Trainer& trainer_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/context.ipp>
#endif
