// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/stop_on_interrupt.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <semaphore.h>
#include <signal.h>

namespace sigma::detail {

/// The runs that a signal stops. Its handler may only count and wake: locks and conditions, which a paused run waits
/// for, belong to a thread, which is there as long as such runs are.
class InterruptWatch {
public:
    /// Never destroyed: a process may exit while a run goes on.
    static InterruptWatch& instance() {
        static InterruptWatch& only = *new InterruptWatch;
        return only;
    }
    unsigned signals() const noexcept { return signals_; }
    /// The same, which a run tells its caller.
    unsigned tell() noexcept { return told_ = signals(); }

    void add(StopOnInterrupt& run) {
        const std::lock_guard lifetime(lifetime_);
        if (!thread_.joinable()) {
            leaving_ = false;
            thread_ = std::thread([this] { watch(); });
        }
        {
            const std::lock_guard lock(mutex_);
            run.since_ = signals_;
            if (runs_.empty()) told_ = run.since_;
            runs_.push_back(&run);
        }
        listen();
    }
    void remove(StopOnInterrupt& run) {
        const std::lock_guard lifetime(lifetime_);
        {
            const std::lock_guard lock(mutex_);
            std::erase(runs_, &run);
        }
        if (!runs_.empty()) return;
        leaving_ = true;
        ::sem_post(&wake_);
        thread_.join();
        restore();
        // One that came when the runs had said whether there was one is the program's.
        if (run.finished_ && told_ != signals_) ::raise(SIGINT);
    }

private:
    std::mutex lifetime_, mutex_;  // of the thread and the handler; of the runs
    std::vector<StopOnInterrupt*> runs_;
    std::thread thread_;
    std::atomic<bool> leaving_{false};
    std::atomic<unsigned> signals_{0}, told_{0};  // those that some run told of
    static_assert(std::atomic<unsigned>::is_always_lock_free);
    ::sem_t wake_;
    bool listens_ = false;       // was the handler set since the first of the runs?
    struct sigaction before_{};  // what the program did on the signal

    InterruptWatch() { ::sem_init(&wake_, 0, 0); }

    static void on_signal(int) {
        InterruptWatch& watch = instance();
        ++watch.signals_;
        ::sem_post(&watch.wake_);
    }
    using Handler = void (*)(int);
    static Handler current() {
        struct sigaction now{};
        ::sigaction(SIGINT, nullptr, &now);
        return now.sa_handler;
    }
    /// After a signal the default, which ends the process, is in force: it is set again for runs that begin later.
    void listen() {
        const Handler now = current();
        if (now == &on_signal || now == SIG_IGN) return;
        if (!listens_ || now != SIG_DFL) ::sigaction(SIGINT, nullptr, &before_);
        listens_ = true;
        struct sigaction ours{};
        ours.sa_handler = &on_signal;
        ours.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
        ::sigemptyset(&ours.sa_mask);
        ::sigaction(SIGINT, &ours, nullptr);
    }
    /// Unless the program has set another handler meanwhile.
    void restore() {
        const Handler now = current();
        if (listens_ && (now == &on_signal || now == SIG_DFL)) ::sigaction(SIGINT, &before_, nullptr);
        listens_ = false;
    }
    void watch() {
        while (!leaving_) {
            if (::sem_wait(&wake_) != 0) continue;  // a signal came to this thread
            const std::lock_guard lock(mutex_);
            for (const StopOnInterrupt* each : runs_)
                if (each->interrupted()) each->run_.stop("Ctrl-C");
        }
    }
};

SIGMA_IMPL StopOnInterrupt::StopOnInterrupt(const Remote& run, bool wanted) : run_(run), wanted_(wanted) {
    if (wanted_) InterruptWatch::instance().add(*this);
}

SIGMA_IMPL StopOnInterrupt::~StopOnInterrupt() {
    if (wanted_) InterruptWatch::instance().remove(*this);
}

SIGMA_IMPL bool StopOnInterrupt::interrupted() const noexcept {
    return wanted_ && InterruptWatch::instance().signals() != since_;
}

SIGMA_IMPL bool StopOnInterrupt::finish() noexcept {
    finished_ = wanted_;
    return wanted_ && InterruptWatch::instance().tell() != since_;
}

}  // namespace sigma::detail
