// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/time_step.hpp>

namespace sigma {

namespace detail {

/// Without pointers, of which g++ with -fsanitize=undefined says that they are no constants.
constexpr bool contains(const Text& text, std::string_view word, int from = 0) {
    for (int i = from; i + static_cast<int>(word.size()) <= text.size; ++i) {
        std::size_t alike = 0;
        while (alike < word.size() && text.data[i + static_cast<int>(alike)] == word[alike]) ++alike;
        if (alike == word.size()) return true;
    }
    return false;
}
/// Does a value of this name say how wrong something is?
constexpr bool is_of_mistakes(const Text& name) {
    const auto ends = [&](std::string_view word) {
        const int from = name.size - static_cast<int>(word.size());
        return from >= 0 && (from == 0 || name.data[from - 1] == '.') && contains(name, word, from);
    };
    return contains(name, "error") || contains(name, "loss") || ends("rmse") || ends("mae");
}

/// What the trainer keeps anyway.
template <class Word>
struct LiveValue : Comparisons<Word> {
    using Sources = Types<>;
    static constexpr bool computed = false, larger_is_better = false;
    static constexpr Moment moment = Moment::iteration;
    std::string text() const { return std::string(Word::name.view()); }
    static const void* id() { return &value_record<Word>; }
};

}  // namespace detail

using detail::LiveValue;  // for values of your own

/// Σ weight · loss of the last step, before its update. New each iteration.
struct LossValue : detail::LiveValue<LossValue> {
    static constexpr Text name = "loss";
    static double read(const detail::TrainerValues& trainer) { return trainer.loss(); }
};
/// Mean loss of the epoch so far, `training_loss()` of a trainer. New each epoch.
struct ErrorValue : detail::LiveValue<ErrorValue> {
    static constexpr Text name = "error";
    static constexpr Moment moment = Moment::epoch;
    static double read(const detail::TrainerValues& trainer) { return trainer.training_loss(); }
};
/// The optimizer's learning rate; also what hooks set.
struct LearningRateValue : detail::LiveValue<LearningRateValue> {
    static constexpr Text name = "learning_rate";
    static double read(const detail::TrainerValues& trainer) { return trainer.learning_rate(); }
    static void write(detail::TrainerCommands& trainer, double x) { trainer.set_learning_rate(x); }
};
/// Seconds of training, without pauses, over all runs.
struct RuntimeValue : detail::LiveValue<RuntimeValue> {
    static constexpr Text name = "runtime";
    static double read(const detail::TrainerValues& trainer) { return trainer.runtime(); }
};
/// The number of the worker that a hook is in, from 1: see in_each_worker.
struct WorkerNumberValue : detail::LiveValue<WorkerNumberValue> {
    static constexpr Text name = "worker";
    static constexpr bool is_count = true;
    static double read(const detail::TrainerValues& trainer) { return trainer.worker() > 1 ? trainer.worker() : 1; }
};
/// Records trained a second in this run.
struct ThroughputValue : detail::LiveValue<ThroughputValue> {
    static constexpr Text name = "samples_per_second";
    static constexpr bool larger_is_better = true;
    static double read(const detail::TrainerValues& trainer) { return trainer.samples_per_second(); }
};

/// A number that a hook of the same `add` computes. New when it is computed; NaN before.
template <Text key>
struct Computed : detail::Comparisons<Computed<key>> {
    using Sources = Types<Computed>;
    static constexpr Text name = key;
    static constexpr bool computed = true;
    static constexpr bool larger_is_better = !detail::is_of_mistakes(key);
    static constexpr Moment moment = Moment::epoch;
    std::string text() const { return std::string(key.view()); }
    static const void* id() { return &detail::value_record<Computed>; }
};
/// `value<"smoothness">`: what `compute<"smoothness">(f)` computes.
template <Text key>
inline constexpr Computed<key> value{};

inline namespace hook_words {
inline constexpr LossValue loss{};
inline constexpr ErrorValue error{};
inline constexpr ErrorValue training_loss{};  ///< the same as `error`
inline constexpr LearningRateValue learning_rate{};
inline constexpr RuntimeValue runtime{};
inline constexpr ThroughputValue samples_per_second{};
inline constexpr WorkerNumberValue worker_number{};
/// Share of records classified right, and mean loss, of the data set that `score` was given.
inline constexpr Computed<"accuracy"> accuracy{};
inline constexpr Computed<"validation_error"> validation_error{};
inline constexpr Computed<"validation_error"> validation_loss{};  ///< the same
}  // namespace hook_words

/// `epoch` and `iteration` are scales of time, and values: how many are over.
struct EpochWord : detail::LiveValue<EpochWord> {
    static constexpr Text name = "epoch";
    static constexpr Moment scale = Moment::epoch, moment = Moment::epoch;
    static double read(const detail::TrainerValues& trainer) { return static_cast<double>(trainer.epoch()); }
};
struct IterationWord : detail::LiveValue<IterationWord> {
    static constexpr Text name = "iteration";
    static constexpr Moment scale = Moment::iteration;
    static double read(const detail::TrainerValues& trainer) { return static_cast<double>(trainer.iteration()); }
};

/// `start`, `stop`, …: scales of time; those that a hook can cause are actions too.
struct StartWord {
    static constexpr Moment scale = Moment::start;
};
struct ResumeWord {
    static constexpr Moment scale = Moment::resume;
};
/// As an action: ends the run after this moment's hooks.
struct StopWord : Action<StopWord> {
    static constexpr Moment scale = Moment::stop;
    static detail::ActionHandle made();
    constexpr StopWord operator()() const { return {}; }  ///< `then(stop())`
};
/// The moment in which a run is paused; as an action: halts the run before its next iteration, until somebody resumes
/// or stops it. POSIX has a function `pause`.
struct HoldWord : Action<HoldWord> {
    static constexpr Moment scale = Moment::pause;
    static constexpr bool in_worker = false;
    static detail::ActionHandle made();
    constexpr HoldWord operator()() const { return {}; }  ///< `then(hold())`
};
/// As an action: the trainer goes back to its beginning and the run ends.
struct ResetWord : Action<ResetWord> {
    static constexpr Moment scale = Moment::reset;
    static constexpr bool in_worker = false;
    static detail::ActionHandle made();
    constexpr ResetWord operator()() const { return {}; }  ///< `then(reset())`
};

inline namespace hook_words {
inline constexpr EpochWord epoch{};
inline constexpr IterationWord iteration{};
inline constexpr StartWord start{};
inline constexpr StopWord stop{};
inline constexpr HoldWord hold{};
inline constexpr ResumeWord resume{};
inline constexpr ResetWord reset{};
}  // namespace hook_words

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/words.ipp>
#endif
