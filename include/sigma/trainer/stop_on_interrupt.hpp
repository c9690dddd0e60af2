// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/trainer/control.hpp>

namespace sigma::detail {

/// While it lives, the first Ctrl-C (SIGINT) stops the run; a second one kills the process as it does without. One
/// signal stops all runs that have one. When the last of them is over, what the program does on SIGINT is what it was;
/// where the process ignores it (nohup, a job in the background) nothing changes.
class StopOnInterrupt {
public:
    StopOnInterrupt(const Remote& run, bool wanted);
    ~StopOnInterrupt();
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

    /// Was there a signal since?
    bool interrupted() const noexcept;
    /// The same when the run is over: a signal that comes later is the program's.
    bool finish() noexcept;

private:
    friend class InterruptWatch;
    const Remote& run_;
    const bool wanted_;
    bool finished_ = false;
    unsigned since_ = 0;  ///< signals before it
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/stop_on_interrupt.ipp>
#endif
