// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace sigma::detail {

/// How far a run is, in the status line of standard error. What takes less than a third of a second says nothing.
class RunLine {
public:
    RunLine(const std::string& name, const void* trainer, bool shown)
        : name_(name), trainer_(trainer), status_(stderr, shown), shows_(shown),
          next_(begin_ + std::chrono::milliseconds(333)) {}
    RunLine(const RunLine&) = delete;
    RunLine& operator=(const RunLine&) = delete;
    /// What hooks have said of the run stays.
    ~RunLine() { terminal::settle(trainer_); }

    /// Is it time to show something? Ten times a second at most.
    bool due() { return shows_ && Clock::now() >= next_; }
    void show(const Progress& now) {
        began_showing_ = true;
        next_ = Clock::now() + std::chrono::milliseconds(100);
        const std::size_t columns = terminal::columns(stderr) - 1, taken = terminal::width(name_) + 2;
        status_.show(sentence(name_, "  ", terminal::progress_line_within(columns - std::min(columns, taken), now)));
    }
    /// Was anything shown?
    bool shown() const { return began_showing_; }
    /// Leaves a line for the whole run where that is wanted, with its time in place of what is left.
    void end(Progress last, bool stays) {
        if (!stays) return status_.hide();
        last.seconds_left = std::nan("");
        const std::chrono::duration<double> seconds = Clock::now() - begin_;
        status_.keep(sentence(name_, "  ", terminal::progress_line(last, terminal::has_utf8(), 0), "  in ",
                              seconds.count() < 10 ? sentence(fixed_text(seconds.count(), 1), " s")
                                                   : terminal::duration(seconds.count())));
    }

private:
    using Clock = std::chrono::steady_clock;

    std::string name_;
    const void* trainer_;
    terminal::StatusLine status_;
    bool shows_, began_showing_ = false;
    Clock::time_point begin_ = Clock::now(), next_;
};

}  // namespace sigma::detail
