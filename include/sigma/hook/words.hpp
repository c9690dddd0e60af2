// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/values.hpp>

namespace sigma {

/// `epoch` and `iteration` are scales of time, and values: how many are over.
struct EpochWord : detail::LiveValue<EpochWord> {
    static constexpr Text name = "epoch";
    static constexpr Moment scale = Moment::epoch, moment = Moment::epoch;
    static double read(const TrainerView& trainer) { return static_cast<double>(trainer.epoch()); }
};
struct IterationWord : detail::LiveValue<IterationWord> {
    static constexpr Text name = "iteration";
    static constexpr Moment scale = Moment::iteration;
    static double read(const TrainerView& trainer) { return static_cast<double>(trainer.iteration()); }
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
    static detail::ActionHandle made();
    constexpr HoldWord operator()() const { return {}; }  ///< `then(hold())`
};
/// As an action: the trainer goes back to its beginning and the run ends.
struct ResetWord : Action<ResetWord> {
    static constexpr Moment scale = Moment::reset;
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
