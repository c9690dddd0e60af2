// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/trainer/terminal/progress.hpp>

#include <chrono>
#include <string>

namespace sigma::detail {

/// How far a run is, in the status line of standard error. What takes less than a third of a second says nothing.
class RunLine {
public:
    RunLine(const std::string& name, const void* trainer, bool shown);
    RunLine(const RunLine&) = delete;
    RunLine& operator=(const RunLine&) = delete;
    /// What hooks have said of the run stays.
    ~RunLine() { terminal::settle(trainer_); }

    /// Is it time to show something? Ten times a second at most.
    bool due() { return shows_ && Clock::now() >= next_; }
    void show(const Progress& now);
    /// Was anything shown?
    bool shown() const { return began_showing_; }
    /// Leaves a line for the whole run where that is wanted, with its time in place of what is left.
    void end(Progress last, bool stays);

private:
    using Clock = std::chrono::steady_clock;

    std::string name_;
    const void* trainer_;
    terminal::StatusLine status_;
    bool shows_, began_showing_ = false;
    Clock::time_point begin_ = Clock::now(), next_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/run_line.ipp>
#endif
