// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/hook/derived.hpp>
#include <sigma/hook/slots.hpp>
#include <sigma/hook/trainer_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma {

namespace detail {

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
    std::vector<Entry> values{};
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
    HookContext(TrainerView& trainer, detail::Slots& slots, Moment moment)
        : trainer_(&trainer), slots_(&slots), moment_(moment) {}
    HookContext(TrainerView& trainer, detail::Slots& slots, const detail::Snapshot& snapshot,
                const detail::Expiry& expiry)
        : trainer_(&trainer), slots_(&slots), moment_(snapshot.moment), snapshot_(&snapshot), expiry_(&expiry) {}

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

/// What actions of one's own see on the thread of a trainer of that type.
template <class Trainer>
class LiveContext : public HookContext {
public:
    static constexpr bool live = true;

    LiveContext(const HookContext& context, Trainer& trainer) : HookContext(context), trainer_(trainer) {}

    Trainer& trainer() const { return trainer_; }
    template <AnyValue V>
    double get(const V& v) const {
        if constexpr (V::computed || detail::is_derived<V> || detail::is_read_by_view<V>) return HookContext::get(v);
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
