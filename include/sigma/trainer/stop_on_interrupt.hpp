// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/terminal.hpp>
#include <sigma/trainer/control.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace sigma::detail {

/// For bodies: it brings <thread>. While it lives, the first Ctrl-C (SIGINT) stops the run; a second one kills the
/// process as it does without. One signal stops all runs that have one. When the last of them is over, what the program
/// does on SIGINT is what it was; where the process ignores it (nohup, a job in the background) nothing changes.
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

/// The runs that Ctrl-C stops, by a thread that is there as long as such runs are.
class InterruptWatch {
public:
    /// Never destroyed: a process may exit while a run goes on.
    static InterruptWatch& instance() {
        static InterruptWatch& only = *new InterruptWatch;
        return only;
    }
    /// The signals so far, which a run tells its caller.
    unsigned tell() noexcept { return told_ = TerminalInterrupt::count(); }

    void add(StopOnInterrupt& run) {
        const std::lock_guard lifetime(lifetime_);
        if (!thread_.joinable()) {
            leaving_ = false;
            thread_ = std::thread([this] { watch(); });
        }
        {
            const std::lock_guard lock(mutex_);
            run.since_ = TerminalInterrupt::count();
            if (runs_.empty()) told_ = run.since_;
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
        // One that came when the runs had said whether there was one is the program's.
        if (run.finished_ && told_ != TerminalInterrupt::count()) TerminalInterrupt::pass_on();
    }

private:
    std::mutex lifetime_, mutex_;  // of the thread and the handler; of the runs
    std::vector<StopOnInterrupt*> runs_;
    std::thread thread_;
    std::atomic<bool> leaving_{false};
    std::atomic<unsigned> told_{0};  // signals that some run told of

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
    return wanted_ && InterruptWatch::instance().tell() != since_;
}

}  // namespace sigma::detail
