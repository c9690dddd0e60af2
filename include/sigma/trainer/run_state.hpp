// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/threads.hpp>

#include <string>
#include <string_view>

namespace sigma {

/// What a trainer is doing. Paused is within a run: the thread that trains waits between two iterations.
enum class RunState : unsigned char { idle, running, paused };

namespace detail {

/// "idle", "running", "paused"
constexpr std::string_view state_text(RunState state) {
    return state == RunState::idle ? "idle" : state == RunState::running ? "running" : "paused";
}

}  // namespace detail

/// How the last run has ended: with all that was asked of it, by a stop, or by an exception.
struct RunEnding {
    /// none: there was no run since the trainer was made or taken back while idle, or one goes on.
    enum How : unsigned char { none, finished, stopped, failed } how = none;
    std::string reason{};  ///< who has stopped it, or what the exception said
};

/// "none", "finished", "stopped", "failed"
constexpr std::string_view ending_text(RunEnding::How how) {
    constexpr std::string_view texts[] = {"none", "finished", "stopped", "failed"};
    return texts[how];
}

namespace detail {

/// What a trainer is told by its Control. Every change between running and paused is told once.
enum class ControlEvent : unsigned char { pause, resume, reset, rewind };

/// What a training loop looks at in each iteration.
struct ControlFlags {
    Relaxed<bool> pending, stopping;
};

}  // namespace detail

/// A command that does not make sense in the present state.
/// "pause of trainer 'digits': expected a running trainer, found an idle one"
struct StateError : MismatchError {
    using MismatchError::MismatchError;
};

}  // namespace sigma
