// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/moment.hpp>
#include <sigma/hook/slots.hpp>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// What criteria and actions see of a trainer, on its own thread. Everything they see is what it is now.
template <class Trainer, class Keys>
class LiveContext {
public:
    static constexpr bool live = true;

    LiveContext(Trainer& trainer, detail::Slots<Keys>& slots, Moment moment, bool timed = false)
        : trainer_(trainer), slots_(slots), moment_(moment), timed_(timed) {}

    Trainer& trainer() const { return trainer_; }
    Moment moment() const { return moment_; }
    const MomentCounts& counts() const { return trainer_.counts(); }
    double runtime() const { return trainer_.runtime(); }
    /// Does the sentence itself say when to look?
    bool timed() const { return timed_; }
    LiveContext as_timed() const { return LiveContext(trainer_, slots_, moment_, true); }

    template <class V>
    double get(const V& v) const {
        if constexpr (V::computed) return slots_.template of<V>().value;
        else return v.read(trainer_);
    }
    template <class V>
    std::uint64_t version(const V& v) const {
        if constexpr (V::computed) return slots_.template of<V>().version;
        else return v.state->version;
    }
    template <class V>
    void publish(double x) {
        slots_.template of<V>().publish(x);
    }

    /// Of the trainer.
    const std::string& name() const { return trainer_.name(); }
    void print(std::string_view line) const { trainer_.print(line); }
    void stop() const { trainer_.stop(); }
    /// Changes the trainer: at once here, at its next iteration in the background.
    template <class F>
    void change(F f) const {
        f(trainer_);
    }
    auto& model() const { return trainer_.model(); }
    auto score(const auto& data) const { return trainer_.evaluate(data); }
    /// Throws ArgumentError where data did not go through what the training data went through, or number classes
    /// otherwise.
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }
    /// Writes a checkpoint when all hooks of this moment are through.
    void save(std::string file) const { trainer_.save_after_hooks(std::move(file)); }
    /// Calls f after what was saved here is written, when all hooks of this moment are through.
    template <class F>
    void afterwards(F f) const {
        trainer_.after_hooks(std::move(f));
    }
    /// Has the time limit passed?
    static constexpr bool expired() { return false; }

private:
    Trainer& trainer_;
    detail::Slots<Keys>& slots_;
    Moment moment_;
    bool timed_;
};

/// Tells an action in the background that the time limit of its hook has passed: that of the job which began at `job`.
struct Expiry {
    const detail::Relaxed<std::int64_t>& expired;
    std::int64_t job;
    bool now() const { return expired == job; }
};

/// What hooks in the background see: the values, and where wanted the parameters or a checkpoint, of the moment in which
/// they fired.
template <class Trainer>
struct Snapshot {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

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
    std::unique_ptr<Model> model{};
    std::vector<std::byte> checkpoint{};

    const Entry* find(const void* id) const {
        for (const Entry& entry : values)
            if (entry.id == id) return &entry;
        return nullptr;
    }
};

template <class Trainer, class Keys>
class BackgroundContext {
public:
    static constexpr bool live = false;

    BackgroundContext(Trainer& trainer, detail::Slots<Keys>& slots, const Snapshot<Trainer>& snapshot,
                      Expiry expiry, bool timed = false)
        : trainer_(trainer), slots_(slots), snapshot_(snapshot), expiry_(expiry), timed_(timed) {}

    Moment moment() const { return snapshot_.moment; }
    const MomentCounts& counts() const { return snapshot_.counts; }
    double runtime() const { return snapshot_.runtime; }
    bool timed() const { return timed_; }
    BackgroundContext as_timed() const { return BackgroundContext(trainer_, slots_, snapshot_, expiry_, true); }

    template <class V>
    double get(const V& v) const {
        if (const auto* then = snapshot_.find(v.id())) return then->value;
        if constexpr (V::computed) return slots_.template of<V>().value;
        else return std::numeric_limits<double>::quiet_NaN();
    }
    template <class V>
    std::uint64_t version(const V& v) const {
        static_assert(V::computed, "what is made of values that the background computes is new on the trainer's thread only: "
                                   "read it with latest(…) at times of its own");
        if (const auto* then = snapshot_.find(v.id())) return then->version;
        return slots_.template of<V>().version;
    }
    template <class V>
    void publish(double x) {
        slots_.template of<V>().publish(x);
    }

    const std::string& name() const { return trainer_.name(); }
    void print(std::string_view line) const { trainer_.print(line); }
    void stop() const { trainer_.stop(); }
    template <class F>
    void change(F f) const {
        trainer_.post([&trainer = trainer_, f] { f(trainer); });
    }
    auto& model() const { return *snapshot_.model; }
    auto score(const auto& data) const {
        trainer_.require_like_training(data);
        return Trainer::evaluate(*snapshot_.model, data);
    }
    void require_like_training(const auto& data) const { trainer_.require_like_training(data); }
    void save(const std::string& file) const { Trainer::write_checkpoint(snapshot_.checkpoint, file); }
    template <class F>
    void afterwards(F f) const {
        f();
    }
    bool expired() const { return expiry_.now(); }

private:
    Trainer& trainer_;
    detail::Slots<Keys>& slots_;
    const Snapshot<Trainer>& snapshot_;
    Expiry expiry_;
    bool timed_;
};

}  // namespace sigma
