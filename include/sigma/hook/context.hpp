// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/moment.hpp>
#include <sigma/hook/slots.hpp>

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
        if constexpr (V::computed) return slots_.template of<V>().value.load(std::memory_order_relaxed);
        else return v.read(trainer_);
    }
    /// What a hook of the group has computed last; NaN where none computes it. An action that looks at more than it says
    /// it reads may see what an earlier moment has left.
    template <class V>
    double find(const V& v) const {
        if constexpr (!V::computed || detail::type_index<V, Keys> >= 0) return get(v);
        else return std::numeric_limits<double>::quiet_NaN();
    }
    template <class V>
    std::uint64_t version(const V&) const {
        return slots_.template of<V>().version.load(std::memory_order_acquire);
    }
    template <class V>
    void publish(double x) {
        slots_.template of<V>().publish(x);
    }

    void print(std::string_view line) const { trainer_.print(line); }
    void stop() const { trainer_.stop(); }
    /// Changes the trainer: at once here, at its next iteration in the background.
    template <class F>
    void change(F f) const {
        f(trainer_);
    }
    auto& model() const { return trainer_.model(); }
    auto score(const auto& data) const { return trainer_.evaluate(data); }
    /// Writes a checkpoint when all hooks of this moment are through.
    void save(std::string file) const { trainer_.save_after_hooks(std::move(file)); }
    /// Has the time limit passed?
    static constexpr bool expired() { return false; }

private:
    Trainer& trainer_;
    detail::Slots<Keys>& slots_;
    Moment moment_;
    bool timed_;
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
    std::vector<std::pair<const void*, double>> values{};
    std::unique_ptr<Model> model{};
    std::string checkpoint{};

    const double* find(const void* id) const {
        for (const auto& [key, x] : values)
            if (key == id) return &x;
        return nullptr;
    }
};

template <class Trainer, class Keys>
class BackgroundContext {
public:
    static constexpr bool live = false;

    BackgroundContext(Trainer& trainer, detail::Slots<Keys>& slots, const Snapshot<Trainer>& snapshot,
                      const std::atomic<bool>& expired, bool timed = false)
        : trainer_(trainer), slots_(slots), snapshot_(snapshot), expired_(expired), timed_(timed) {}

    Moment moment() const { return snapshot_.moment; }
    const MomentCounts& counts() const { return snapshot_.counts; }
    double runtime() const { return snapshot_.runtime; }
    bool timed() const { return timed_; }
    BackgroundContext as_timed() const { return BackgroundContext(trainer_, slots_, snapshot_, expired_, true); }

    template <class V>
    double get(const V& v) const {
        if (const double* x = snapshot_.find(v.id())) return *x;
        if constexpr (V::computed) return slots_.template of<V>().value.load(std::memory_order_relaxed);
        else return std::numeric_limits<double>::quiet_NaN();
    }
    template <class V>
    std::uint64_t version(const V&) const {
        return slots_.template of<V>().version.load(std::memory_order_acquire);
    }
    template <class V>
    void publish(double x) {
        slots_.template of<V>().publish(x);
    }

    void print(std::string_view line) const { trainer_.print(line); }
    void stop() const { trainer_.stop(); }
    template <class F>
    void change(F f) const {
        trainer_.post([&trainer = trainer_, f] { f(trainer); });
    }
    auto& model() const { return *snapshot_.model; }
    auto score(const auto& data) const { return Trainer::evaluate(*snapshot_.model, data); }
    void save(const std::string& file) const { Trainer::write_checkpoint(snapshot_.checkpoint, file); }
    bool expired() const { return expired_.load(std::memory_order_relaxed); }

private:
    Trainer& trainer_;
    detail::Slots<Keys>& slots_;
    const Snapshot<Trainer>& snapshot_;
    const std::atomic<bool>& expired_;
    bool timed_;
};

}  // namespace sigma
