// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/relaxed.hpp>

#include <string_view>

namespace sigma {

/// What a trainer is doing. Paused is within a run: the thread that trains waits between two iterations.
enum class RunState : unsigned char { idle, running, paused };

/// "idle", "running", "paused"
constexpr std::string_view state_text(RunState state) {
    return state == RunState::idle ? "idle" : state == RunState::running ? "running" : "paused";
}

/// What a trainer is told by its Control. Every change between running and paused is told once.
enum class ControlEvent : unsigned char { pause, resume, reset, rewind };

namespace detail {
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
