// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values, times and actions of hooks that have a name of their own: `loss`, `accuracy`, `epoch`, `stop`, …. Included
/// by `<sigma/sigma.hpp>`.
#include <sigma/core/text.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/time_step.hpp>

namespace sigma {

namespace detail {

/// Returns whether a text contains `word` at `from` or later. Uses no pointers, because g++ with -fsanitize=undefined
/// rejects them in constants.
constexpr bool contains(const Text& text, std::string_view word, int from = 0) {
    for (int i = from; i + static_cast<int>(word.size()) <= text.size; ++i) {
        std::size_t alike = 0;
        while (alike < word.size() && text.data[i + static_cast<int>(alike)] == word[alike]) ++alike;
        if (alike == word.size()) return true;
    }
    return false;
}
/// Returns whether a value of this name measures mistakes, so that smaller is better.
constexpr bool is_of_mistakes(const Text& name) {
    const auto ends = [&](std::string_view word) {
        const int from = name.size - static_cast<int>(word.size());
        return from >= 0 && (from == 0 || name.data[from - 1] == '.') && contains(name, word, from);
    };
    return contains(name, "error") || contains(name, "loss") || ends("rmse") || ends("mae");
}

/// The base of a value of your own: a number that can be read from a trainer at any time.
///
/// A derived class has `static constexpr Text name` and `static double read(const auto& trainer)`. Optional members are
/// `moment` (when the number is new, default: `Moment::iteration`), `larger_is_better` (what `improves` means, default:
/// false) and `is_count` (whether reports print a whole number, default: absent).
///
/// @tparam Word  the derived class
///
/// @par Background
/// Can be read in the background: the snapshot holds the number.
///
/// @par Example
/// @code
/// struct StepTime : LiveValue<StepTime> {
///     static constexpr Text name = "step_time";
///     static constexpr Moment moment = Moment::epoch;
///     static double read(const auto& trainer) { return trainer.runtime() / double(trainer.iteration()); }
/// };
/// trainer.add(when(StepTime{}.falls_below(0.1)).then(stop));
/// @endcode
template <class Word>
struct LiveValue : Comparisons<Word> {
    /// @cond internal
    using Sources = Types<>;
    static constexpr bool computed = false, larger_is_better = false;
    static constexpr Moment moment = Moment::iteration;
    std::string text() const { return std::string(Word::name.view()); }
    static const void* id() { return &value_record<Word>; }
    /// @endcond
};

}  // namespace detail

using detail::LiveValue;

/// The type of `loss`.
/// @see loss
struct LossValue : detail::LiveValue<LossValue> {
    /// @cond internal
    static constexpr Text name = "loss";
    static double read(const detail::TrainerValues& trainer) { return trainer.loss(); }
    /// @endcond
};
/// The type of `error` and `training_loss`.
/// @see error
struct ErrorValue : detail::LiveValue<ErrorValue> {
    /// @cond internal
    static constexpr Text name = "error";
    static constexpr Moment moment = Moment::epoch;
    static double read(const detail::TrainerValues& trainer) { return trainer.training_loss(); }
    /// @endcond
};
/// The type of `learning_rate`.
/// @see learning_rate
struct LearningRateValue : detail::LiveValue<LearningRateValue> {
    /// @cond internal
    static constexpr Text name = "learning_rate";
    static double read(const detail::TrainerValues& trainer) { return trainer.learning_rate(); }
    static void write(detail::TrainerCommands& trainer, double x) { trainer.set_learning_rate(x); }
    /// @endcond
};
/// The type of `runtime`.
/// @see runtime
struct RuntimeValue : detail::LiveValue<RuntimeValue> {
    /// @cond internal
    static constexpr Text name = "runtime";
    static double read(const detail::TrainerValues& trainer) { return trainer.runtime(); }
    /// @endcond
};
/// The type of `worker_number`.
/// @see worker_number
struct WorkerNumberValue : detail::LiveValue<WorkerNumberValue> {
    /// @cond internal
    static constexpr Text name = "worker";
    static constexpr bool is_count = true;
    static double read(const detail::TrainerValues& trainer) { return trainer.worker() > 1 ? trainer.worker() : 1; }
    /// @endcond
};
/// The type of `samples_per_second`.
/// @see samples_per_second
struct ThroughputValue : detail::LiveValue<ThroughputValue> {
    /// @cond internal
    static constexpr Text name = "samples_per_second";
    static constexpr bool larger_is_better = true;
    static double read(const detail::TrainerValues& trainer) { return trainer.samples_per_second(); }
    /// @endcond
};

/// A number that a hook computes, such as `accuracy`: the type of `value<key>`.
///
/// A hook of the same call of `add`, or of an earlier one, must compute the number. Otherwise `add` throws
/// ArgumentError.
///
/// @tparam key  name of the number. If the name contains "error" or "loss", or ends with "rmse" or "mae",
///     smaller numbers are better. Otherwise larger numbers are better.
///
/// @see value, compute, score
template <Text key>
struct Computed : detail::Comparisons<Computed<key>> {
    /// @cond internal
    using Sources = Types<Computed>;
    static constexpr Text name = key;
    static constexpr bool computed = true;
    static constexpr bool larger_is_better = !detail::is_of_mistakes(key);
    static constexpr Moment moment = Moment::epoch;
    std::string text() const { return std::string(key.view()); }
    static const void* id() { return &detail::value_record<Computed>; }
    /// @endcond
};
/// A number that a hook computes under this name, for example with `compute<"gap">(…)` or `score(data, top<3>)`.
///
/// @tparam key  the name under which the hook computes the number
///
/// @par Updated
/// When the hook has computed it. NaN before.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing, top<3>)), when(value<"top3">.reaches(0.99)).then(stop));
/// @endcode
///
/// @see compute, score, latest
template <Text key>
inline constexpr Computed<key> value{};

inline namespace hook_words {
/// The loss of the last step, before its update: the sum of the network's losses times their weights.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(iteration, loss)));
/// @endcode
inline constexpr LossValue loss{};
/// The mean training loss of the epoch so far, as `training_loss()` of a trainer.
///
/// @par Updated
/// Each epoch.
///
/// @par Example
/// @code
/// trainer.add(when(error.decreases(5)).then(save));
/// @endcode
///
/// @see training_loss, validation_error
inline constexpr ErrorValue error{};
/// An alias of `error`: the mean training loss of the epoch so far.
/// @see error
inline constexpr ErrorValue training_loss{};
/// The learning rate of the optimizer. NaN if the optimizer has none. `set`, `multiply` and `schedule` change it.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(multiply(learning_rate, 0.9), report(epoch, learning_rate)));
/// @endcode
inline constexpr LearningRateValue learning_rate{};
/// Seconds of training so far, without pauses, summed over all runs of the trainer.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(when(runtime.exceeds(600)).then(stop));  // after ten minutes of training
/// @endcode
inline constexpr RuntimeValue runtime{};
/// Records trained per second in this run.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(epoch, samples_per_second)));
/// @endcode
inline constexpr ThroughputValue samples_per_second{};
/// The number of the worker that runs the hook, from 1. It is 1 without workers.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(in_each_worker(every(1, epoch).then(report(worker_number, error))));
/// @endcode
///
/// @see in_each_worker
inline constexpr WorkerNumberValue worker_number{};
/// The share of correctly classified records, from 0 to 1, of the data that `score` evaluated.
///
/// @par Updated
/// When a hook has computed it, usually `score(data)`. NaN before.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), when(accuracy.reaches(0.98)).then(stop));
/// @endcode
///
/// @see score, accuracy_of
inline constexpr Computed<"accuracy"> accuracy{};
/// The mean loss of the data that `score` evaluated.
///
/// @par Updated
/// When a hook has computed it, usually `score(data)`. NaN before.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), early_stop(validation_error, 5));
/// @endcode
///
/// @see score, error_of
inline constexpr Computed<"validation_error"> validation_error{};
/// An alias of `validation_error`: the mean loss of the data that `score` evaluated.
/// @see validation_error
inline constexpr Computed<"validation_error"> validation_loss{};
}  // namespace hook_words

/// The type of `epoch`.
/// @see epoch
struct EpochWord : detail::LiveValue<EpochWord> {
    /// @cond internal
    static constexpr Text name = "epoch";
    static constexpr Moment scale = Moment::epoch, moment = Moment::epoch;
    static double read(const detail::TrainerValues& trainer) { return static_cast<double>(trainer.epoch()); }
    /// @endcond
};
/// The type of `iteration`.
/// @see iteration
struct IterationWord : detail::LiveValue<IterationWord> {
    /// @cond internal
    static constexpr Text name = "iteration";
    static constexpr Moment scale = Moment::iteration;
    static double read(const detail::TrainerValues& trainer) { return static_cast<double>(trainer.iteration()); }
    /// @endcond
};

/// The type of `start`.
/// @see start
struct StartWord {
    /// @cond internal
    static constexpr Moment scale = Moment::start;
    /// @endcond
};
/// The type of `resume`.
/// @see resume
struct ResumeWord {
    /// @cond internal
    static constexpr Moment scale = Moment::resume;
    /// @endcond
};
/// The type of `stop`.
/// @see stop
struct StopWord : Action<StopWord> {
    /// @cond internal
    static constexpr Moment scale = Moment::stop;
    static detail::ActionHandle made();
    /// @endcond
    /// Returns the same action, for `then(stop())`.
    /// @return the action, for `then`
    constexpr StopWord operator()() const { return {}; }
};
/// The type of `hold`. The function is not called `pause`, because POSIX has a function of this name.
/// @see hold
struct HoldWord : Action<HoldWord> {
    /// @cond internal
    static constexpr Moment scale = Moment::pause;
    static constexpr bool in_worker = false;
    static detail::ActionHandle made();
    /// @endcond
    /// Returns the same action, for `then(hold())`.
    /// @return the action, for `then`
    constexpr HoldWord operator()() const { return {}; }
};
/// The type of `reset`.
/// @see reset
struct ResetWord : Action<ResetWord> {
    /// @cond internal
    static constexpr Moment scale = Moment::reset;
    static constexpr bool in_worker = false;
    static detail::ActionHandle made();
    /// @endcond
    /// Returns the same action, for `then(reset())`.
    /// @return the action, for `then`
    constexpr ResetWord operator()() const { return {}; }
};

inline namespace hook_words {
/// The scale of epochs, as in `every(1, epoch)`, and the number of completed epochs as a value.
///
/// @par Updated
/// Each epoch.
///
/// @par Example
/// @code
/// trainer.add(every(5, epoch).then(report(epoch, error)), after(20, epoch).then(stop));
/// @endcode
inline constexpr EpochWord epoch{};
/// The scale of iterations, as in `every(100, iteration)`, and the number of completed iterations as a value.
///
/// @par Updated
/// Each iteration.
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(iteration, loss)));
/// @endcode
inline constexpr IterationWord iteration{};
/// The scale of the beginnings of runs: `at(start)` is when a run has begun, before its first step.
///
/// @par Example
/// @code
/// trainer.add(at(start).then([] { std::puts("here we go"); }));
/// @endcode
inline constexpr StartWord start{};
/// An action that ends the run after the hooks of this moment, and the scale of the ends of runs.
///
/// `at(stop)` is when a run ends, unless an exception ends it.
///
/// @par Background
/// Can run in the background.
///
/// @par Example
/// @code
/// trainer.add(after(20, epoch).then(stop), at(stop).then(save("last.sigma")));
/// @endcode
inline constexpr StopWord stop{};
/// An action that pauses the run before its next iteration, until another thread resumes or stops it, and the scale of
/// pauses.
///
/// `at(hold)` is when a running trainer pauses.
///
/// @par Background
/// Can run in the background.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because it acts on all workers.
///
/// @par Example
/// @code
/// trainer.add(at(10, epoch).then(hold));
/// @endcode
inline constexpr HoldWord hold{};
/// The scale of resumptions: `at(resume)` is when a paused trainer continues.
///
/// @par Example
/// @code
/// trainer.add(at(resume).then([] { std::puts("continuing"); }));
/// @endcode
inline constexpr ResumeWord resume{};
/// An action that returns the trainer to its initial state and ends the run, and the scale of resets.
///
/// `at(reset)` is when the trainer has returned to its initial state. All counts but that of resets are 0 then.
///
/// @par Background
/// Can run in the background.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because it acts on all workers.
///
/// @par Example
/// @code
/// trainer.add(when(loss.exceeds(1e6)).then(reset));
/// @endcode
inline constexpr ResetWord reset{};
}  // namespace hook_words

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/words.ipp>
#endif
