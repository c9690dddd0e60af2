// SPDX-License-Identifier: BSL-1.0
#pragma once
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
class TrainerView;

namespace detail {

struct AnyStore;
struct GroupedHook;
class RunningHooks;

/// A tensor that was kept of a step, its rows `stride` elements of the model's type apart.
struct KeptTensor {
    const void* data = nullptr;  ///< none where it was not kept
    std::ptrdiff_t stride = 0;
};

/// Where a computed value lies. Written by one thread, read by any.
struct Slot {
    Relaxed<double> value = std::numeric_limits<double>::quiet_NaN();
    Signal<std::uint64_t> version;  ///< how often it was computed

    void publish(double x);
    void restart();
};

/// A value as the hooks that compute it have it, for others.
struct ComputedValue {
    SharedOwner<const Slot> slot{};  ///< none where none computes it
    MomentSet moments{};             ///< at which it may be computed
    int rank = 0;                    ///< how seldom that is: 0 each iteration, 1 each epoch, 2 less often
    std::uint64_t interval = 0;      ///< of the scale of its moment, where it is regular
    bool in_background = false;
    std::string hook{};  ///< that computes it
};

/// What a trainer counts and measures, which values read.
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
    /// NaN where the optimizer has none.
    virtual double learning_rate() const = 0;
    /// The number of a worker, from 1; 0 of what is no worker of several.
    virtual int worker() const { return 0; }
};

/// What a trainer is told. On its thread, but for `print`, `stop` and `post`.
class TrainerCommands {
public:
    virtual ~TrainerCommands() = default;
    virtual void print(std::string_view line) = 0;
    virtual void stop() = 0;
    virtual void pause() = 0;
    virtual void reset() = 0;
    /// Calls a function between two iterations.
    virtual void post(AnyFunction<void()> f) = 0;
    /// Calls a function when the hooks of this moment are through.
    virtual void after_hooks(AnyFunction<void()> f) = 0;
    virtual void set_learning_rate(double rate) = 0;

    virtual void save_after_hooks(std::string file) = 0;
    virtual void load_after_hooks(std::string file) = 0;
    virtual void load_parameters(const std::string& file, const std::string& pattern) = 0;
    virtual std::vector<std::byte> checkpoint() = 0;
    virtual void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const = 0;

    /// Throws ArgumentError where a number of the optimizer is none that its rule can take.
    virtual void check_optimizer() const = 0;
    /// Throws ArgumentError where data did not go through what the training data went through, or number classes
    /// otherwise.
    virtual void require_like_training(const Dataset& data) const = 0;
};

/// A trainer's parameters, and what was kept of its last step. On its thread.
class TrainerParameters {
public:
    virtual ~TrainerParameters() = default;
    virtual AnyStore parameters() = 0;
    virtual void parameters_changed() = 0;
    virtual void freeze(std::string_view pattern) = 0;
    virtual void unfreeze(std::string_view pattern) = 0;
    virtual bool frozen(int parameter) const = 0;
    /// The gradient in a parameter in the last step, and the parameter before that step.
    virtual KeptTensor gradient(int parameter) = 0;
    virtual KeptTensor before(int parameter) = 0;
    /// f(each worker of the present run), or f(the trainer) where there are none.
    virtual void for_each_worker(const AnyFunction<void(TrainerView&)>& f) = 0;
    /// Something is read of each worker, of those in other processes too: what all of them have added before has the
    /// same number there.
    virtual int add_reading(AnyFunction<double(TrainerView&)> f) = 0;
    virtual std::vector<double> read_of_workers(int reading) = 0;
};

}  // namespace detail

/// All that hooks ask a trainer of any type, and tell it.
class TrainerView : public detail::TrainerValues, public detail::TrainerCommands, public detail::TrainerParameters {
public:
    /// Of that trainer.
    explicit TrainerView(const void* trainer) : trainer_(trainer) {}
    TrainerView(const TrainerView&) = delete;
    TrainerView& operator=(const TrainerView&) = delete;

    /// Tells trainers apart.
    const void* trainer() const { return trainer_; }
    /// From any thread.
    virtual const std::string& name() const = 0;
    void for_each_worker(const detail::AnyFunction<void(TrainerView&)>& f) override { f(*this); }
    /// What hooks that were added before compute.
    virtual detail::ComputedValue find_computed(const detail::ValueRecord&) const { return {}; }
    /// What those in this worker compute.
    virtual detail::ComputedValue find_computed_in_worker(const detail::ValueRecord&) const { return {}; }
    int add_reading(detail::AnyFunction<double(TrainerView&)> f) override {
        readings_.push_back(std::move(f));
        return static_cast<int>(readings_.size()) - 1;
    }
    std::vector<double> read_of_workers(int reading) override { return {read(reading, *this)}; }
    /// Throws ArgumentError where nobody here has added it.
    double read(int reading, TrainerView& worker) const;

protected:
    /// What is done when the hooks of a moment are through belongs to the hook that wanted it: an error names that
    /// hook, which may be gone by then, and ends the run or is printed as it says.
    detail::AnyFunction<void()> of_acting_hook(detail::AnyFunction<void()> f);

private:
    friend class detail::RunningHooks;
    const void* trainer_;
    const detail::GroupedHook* acting_ = nullptr;
    std::vector<detail::AnyFunction<double(TrainerView&)>> readings_{};
};

namespace detail {

/// Where the values of hooks that are added together come from: one slot for each that they compute, and for each of
/// one's own the function that reads it off a trainer of its type.
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
    /// Throws ArgumentError where no hook of the group names the value.
    Slot& of(const ValueRecord& computed);
    const Slot& read_of(const ValueRecord& computed) const;
    /// Value i is one that others compute, there.
    void link(int i, SharedOwner<const Slot> slot);
    bool is_linked(int i) const { return static_cast<bool>(linked_[i]); }
    /// For readers that may outlive the hooks.
    SharedOwner<const Slot> share(int i) const { return {slots_, &slots_.get()[i]}; }
    /// A live value.
    double read(const ValueRecord& live, const TrainerValues& trainer) const;

private:
    const ValueRecord* const* computed_;
    int count_;
    SharedOwner<Slot> slots_;  ///< the first of them
    List<Reader> readers_;
    List<SharedOwner<const Slot>> linked_;  ///< of each value, where others compute it

    int position_of(const ValueRecord& computed) const;
};

/// What hooks in the background see: the values, and where wanted the parameters or a checkpoint, of the moment in
/// which they fired.
struct Snapshot {
    Moment moment = Moment::iteration;
    MomentCounts counts{};
    double runtime = 0;
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t due = 0;  ///< hooks that fired, by number
    struct Entry {
        const void* id;
        double value;
        std::uint64_t version;  ///< how often it had been computed
    };
    List<Entry> values{};
    detail::SharedOwner<void> model{};  ///< a copy of the trainer's
    std::vector<std::byte> checkpoint{};

    const Entry* find(const void* id) const;
};

/// What hooks reach of a trainer, and nobody else.
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

/// Tells an action in the background that the time limit of its hook has passed: that of the job which began at `job`.
struct Expiry {
    const detail::Relaxed<std::int64_t>& expired;
    std::int64_t job;

    bool now() const { return expired == job; }
};

}  // namespace detail

/// What criteria and actions see of a trainer: on its own thread what is now, in the background a snapshot.
class HookContext {
public:
    HookContext(TrainerView& trainer, detail::Slots& cells, Moment moment)
        : trainer_(&trainer), slots_(&cells), moment_(moment) {}
    HookContext(TrainerView& trainer, detail::Slots& cells, const detail::Snapshot& snapshot,
                const detail::Expiry& expiry)
        : trainer_(&trainer), slots_(&cells), moment_(snapshot.moment), snapshot_(&snapshot), expiry_(&expiry) {}

    Moment moment() const { return moment_; }
    const MomentCounts& counts() const;
    double runtime() const;
    /// Does the sentence itself say when to look?
    bool timed() const { return timed_; }
    HookContext as_timed() const;

    template <AnyValue V>
    double get(const V& v) const {
        return get(detail::value_of(v));
    }
    double get(const detail::ValueHandle& value) const;
    /// How often a value that counts it was newly computed.
    std::uint64_t version(const detail::ValueHandle& value) const;
    /// What a hook has computed.
    template <class V>
    void publish(double x) const {
        publish(detail::value_record<V>, x);
    }
    void publish(const detail::ValueRecord& computed, double x) const;

    /// Of the trainer.
    const std::string& name() const { return trainer_->name(); }
    void print(std::string_view line) const { trainer_->print(line); }
    void stop() const { trainer_->stop(); }
    /// Changes the trainer: at once on its thread, at its next iteration in the background.
    void change(detail::AnyFunction<void(TrainerView&)> f) const;
    /// Throws ArgumentError where data did not go through what the training data went through, or number classes
    /// otherwise.
    void require_like_training(const Dataset& data) const { trainer_->require_like_training(data); }
    /// Writes a checkpoint when all hooks of this moment are through; in the background at once, of the snapshot.
    void save(std::string file) const;
    /// Calls f after what was saved here is written, when all hooks of this moment are through.
    void afterwards(detail::AnyFunction<void()> f) const;
    /// Has the time limit passed?
    bool expired() const { return expiry_ != nullptr && expiry_->now(); }

    /// For actions that are not in the background.
    TrainerView& view() const { return *trainer_; }

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

/// What a criterion finds when it is checked. `level`: it holds now. `event`: something new has made it hold, for
/// instance the threshold was crossed. `fresh`: there was something new to look at; else level is what it was.
/// Hooks fire on events.
struct Truth {
    bool level = false, event = false, fresh = false;
    friend bool operator==(const Truth&, const Truth&) = default;
};

/// A criterion at run time, with its own counters, one for each hook of each trainer.
class CriterionNode {
public:
    virtual ~CriterionNode() = default;
    virtual Owned<CriterionNode> clone() const = 0;
    virtual Truth examine(HookContext& context) = 0;
    /// Its level while there is nothing new: false for pulses.
    virtual bool held() const { return false; }
    virtual void restart(const MomentCounts& counts) = 0;
    virtual void archive(Archive& a) = 0;
    virtual std::string text() const = 0;
    virtual void visit_values(const ValueVisitor&) {}
    /// Of how many of its scale it is, where it is regular; else 0.
    virtual std::uint64_t interval() const { return 0; }
    /// Can it fire when its scale counts so many? False only where it says that it will not.
    virtual bool due(std::uint64_t) const { return true; }
};
using CriterionHandle = SharedOwner<const CriterionNode>;

/// What is new for a leaf since it last looked, if anything. Values that hooks compute, and those made of others, are
/// new when they are computed; others at their own moment, or whenever the sentence says how often to look.
bool is_fresh(const HookContext& context, const ValueHandle& v, std::uint64_t& seen);

/// An action at run time, one for each hook of each trainer. The defaults are those of one that reads nothing and
/// remembers nothing.
class ActionNode {
public:
    virtual ~ActionNode() = default;
    /// None of those of one's own, which are made for their trainer.
    virtual Owned<ActionNode> clone() const { return nullptr; }
    virtual void run(HookContext& context) = 0;
    /// When its hook is added, and after a reset of the trainer; on the trainer's thread.
    virtual void restart(HookContext&) {}
    virtual void archive(Archive&) {}
    virtual void visit_values(const ValueVisitor&) {}
    virtual std::string text() const = 0;
};
using ActionHandle = SharedOwner<const ActionNode>;

}  // namespace detail

/// What actions of one's own see on the thread of a trainer of that type.
template <class Trainer>
class LiveContext : public HookContext {
public:
    static constexpr bool live = true;

    LiveContext(const HookContext& context, Trainer& trainer) : HookContext(context), trainer_(trainer) {}

    Trainer& trainer() const { return trainer_; }
    template <AnyValue V>
    double get(const V& v) const {
        if constexpr (V::computed || detail::is_derived<V> || detail::is_read_of_values<V>) return HookContext::get(v);
        else return v.read(trainer_);
    }
    template <class F>
    void change(F f) const {
        f(trainer_);
    }
    auto& model() const { return trainer_.model(); }
    auto score(const auto& data) const { return trainer_.evaluate(data); }
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

private:
    Trainer& trainer_;
};

/// The same in the background.
template <class Trainer>
class BackgroundContext : public HookContext {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

public:
    static constexpr bool live = false;

    BackgroundContext(const HookContext& context, Trainer& trainer) : HookContext(context), trainer_(trainer) {}

    template <class F>
    void change(F f) const {
        trainer_.post([&trainer = trainer_, f] { f(trainer); });
    }
    Model& model() const { return *static_cast<Model*>(snapshot()->model.get()); }
    auto score(const auto& data) const {
        trainer_.require_like_training(data);
        return Trainer::evaluate(model(), data);
    }
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }

private:
    Trainer& trainer_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/context.ipp>
#endif
