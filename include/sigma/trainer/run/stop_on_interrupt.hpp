// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/terminal.hpp>
#include <sigma/trainer/run/control.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace sigma::detail {

/// Stops a run on Ctrl-C (SIGINT) during its lifetime. A second signal kills the process. One signal stops all runs
/// that have such an object. When the last of them ends, the program's own handler is restored. If the process ignores
/// the signal (nohup, a background job), nothing changes. Include it only in bodies, since it includes <thread>.
class StopOnInterrupt {
public:
    StopOnInterrupt(const Remote& run, bool wanted);
    ~StopOnInterrupt();
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

    /// Returns whether there was a signal since the constructor.
    bool interrupted() const noexcept;
    /// Returns `interrupted()` at the end of the run. Later signals belong to the program.
    bool finish() noexcept;

private:
    friend class InterruptWatch;
    const Remote& run_;
    const bool wanted_;
    bool finished_ = false;
    unsigned since_ = 0;  ///< number of signals before the constructor
};

/// The runs that Ctrl-C stops. A thread watches for signals as long as there are such runs.
class InterruptWatch {
public:
    /// Returns the only instance, which is never destroyed, since a process may exit during a run.
    static InterruptWatch& instance() {
        static InterruptWatch& only = *new InterruptWatch;
        return only;
    }
    /// Returns the number of signals so far, and notes that a run has reported them to its caller.
    unsigned report() noexcept { return reported_ = TerminalInterrupt::count(); }

    void add(StopOnInterrupt& run) {
        const std::lock_guard lifetime(lifetime_);
        if (!thread_.joinable()) {
            leaving_ = false;
            thread_ = std::thread([this] { watch(); });
        }
        {
            const std::lock_guard lock(mutex_);
            run.since_ = TerminalInterrupt::count();
            if (runs_.empty()) reported_ = run.since_;
            runs_.push_back(&run);
        }
        TerminalInterrupt::listen();
    }
    void remove(StopOnInterrupt& run) {
        const std::lock_guard lifetime(lifetime_);
        {
            const std::lock_guard lock(mutex_);
            std::erase(runs_, &run);
        }
        if (!runs_.empty()) return;
        leaving_ = true;
        TerminalInterrupt::wake();
        thread_.join();
        TerminalInterrupt::restore();
        // A signal that came after the runs had reported belongs to the program.
        if (run.finished_ && reported_ != TerminalInterrupt::count()) TerminalInterrupt::pass_on();
    }

private:
    std::mutex lifetime_, mutex_;  // guard the thread and the handler; the list of runs
    std::vector<StopOnInterrupt*> runs_;
    std::thread thread_;
    std::atomic<bool> leaving_{false};
    std::atomic<unsigned> reported_{0};  // signals that a run has reported to its caller

    void watch() {
        while (!leaving_) {
            TerminalInterrupt::wait();
            const std::lock_guard lock(mutex_);
            for (const StopOnInterrupt* each : runs_)
                if (each->interrupted()) each->run_.stop("Ctrl-C");
        }
    }
};

inline StopOnInterrupt::StopOnInterrupt(const Remote& run, bool wanted) : run_(run), wanted_(wanted) {
    if (wanted_) InterruptWatch::instance().add(*this);
}

inline StopOnInterrupt::~StopOnInterrupt() {
    if (wanted_) InterruptWatch::instance().remove(*this);
}

inline bool StopOnInterrupt::interrupted() const noexcept { return wanted_ && TerminalInterrupt::count() != since_; }

inline bool StopOnInterrupt::finish() noexcept {
    finished_ = wanted_;
    return wanted_ && InterruptWatch::instance().report() != since_;
}

}  // namespace sigma::detail
