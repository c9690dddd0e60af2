// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/trainer/control_core.hpp>

namespace sigma {

/// Commands to one trainer, from any thread. Copies command the same trainer, and may outlive it: then it is idle for
/// good.
///
/// Commands take effect at the next boundary between two iterations, in the order they were given, except `stop`, which
/// overtakes. A function that runs on the thread that trains, a hook for instance, may give any command, but not wait
/// for it. What makes no sense for an idle trainer throws StateError; docs/control.md has the table.
class Remote {
public:
    const std::string& name() const { return core_->name(); }
    RunState state() const noexcept { return core_->state(); }
    /// Whether the trainer was destroyed.
    bool closed() const { return core_->closed(); }
    /// Whether the caller is on the thread of the present run.
    bool on_training_thread() const { return core_->on_training_thread(); }
    /// Seconds of all runs, without pauses.
    double running_time() const noexcept { return core_->clock().elapsed(); }

    /// Waits between two iterations, executing commands, until `resume`, `step` or `stop`.
    Acknowledgement pause() const { return core_->give(detail::Command::pause); }
    Acknowledgement resume() const { return core_->give(detail::Command::resume); }
    /// One iteration, then paused; acknowledged after it.
    Acknowledgement step() const { return core_->give(detail::Command::step); }
    /// Ends the run; acknowledged when it has ended, at once if there is none.
    Acknowledgement stop() const { return core_->stop(); }
    /// Passed on to the trainer, whose words these are. An idle trainer obeys within the call.
    Acknowledgement reset() const { return core_->give(detail::Command::reset); }
    Acknowledgement rewind() const { return core_->give(detail::Command::rewind); }
    /// Calls a function while no worker is within an iteration: what it sets is seen by all at the same one. What it
    /// throws comes out of the acknowledgement, not out of the run. For an idle trainer it is called at once.
    Acknowledgement post(std::function<void()> function) const;
    /// Waits until the present run has ended, if there is one, and throws what ended it if it was begun by `start`:
    /// again at each call, until the next run. Throws StateError on the thread that trains.
    void wait() const { core_->wait(); }

protected:
    explicit Remote(std::shared_ptr<detail::ControlCore> core) : core_(std::move(core)) {}
    std::shared_ptr<detail::ControlCore> core_;
};

/// The trainer's side. A training loop reads
///
///     control.run([&] {                                  // or start(…), on a thread of its own
///         while (more to do && !control.stopping()) {
///             one iteration;
///             if (control.pending()) control.handle();   // one relaxed load when nobody wants anything
///         }
///     });
///
/// The handler is called on the thread that trains (reset and rewind of an idle trainer: by whoever gives the command).
/// What it throws ends the run, and is in the acknowledgement too.
/// A trainer that starts threads calls `close` first in its destructor, or has its Control as the last member.
class Control : public Remote {
public:
    using Handler = detail::ControlCore::Handler;

    explicit Control(std::string name, Handler handler = {});
    ~Control() { close(); }
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    /// Whether `handle` has something to do.
    bool pending() const noexcept { return core_->pending(); }
    /// Whether the run is to end; stays so until the next begins.
    bool stopping() const noexcept { return core_->stopping(); }
    /// Executes commands; returns when the next iteration, or the end, is due.
    void handle() { core_->handle(); }
    /// Goes while running, not while paused or idle.
    RunClock& clock() { return core_->clock(); }

    /// Throws StateError when a run goes on.
    void begin_run() { core_->begin(std::this_thread::get_id()); }
    /// Executes the functions, resets and rewinds still waiting, and refuses what else is.
    void end_run() { core_->end(nullptr, false); }

    /// body() between begin_run and end_run.
    template <class Body>
    void run(Body&& body) {
        begin_run();
        try {
            body();
        } catch (...) {
            core_->end(std::current_exception(), false);
            throw;
        }
        end_run();
    }
    /// The same on a new thread; returns when the run has begun. `wait` throws what body() threw.
    template <class Body>
    void start(Body body) {
        core_->begin({});
        std::lock_guard lock(thread_mutex_);
        try {
            thread_ = std::jthread([core = core_, body_ = std::move(body)]() mutable {
                core->adopt();
                const std::exception_ptr thrown = execute(std::move(body_));
                core->end(thrown, true);
            });
        } catch (...) {
            core_->end(std::current_exception(), false);
            throw;
        }
    }
    /// Stops the run that `start` began, if it goes on, and waits for its end; no commands any more.
    void close() noexcept;

private:
    // The body is gone, with all that it holds, before anybody learns that the run has ended.
    template <class Body>
    static std::exception_ptr execute(Body body) {
        try {
            body();
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }

    std::mutex thread_mutex_;
    std::jthread thread_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/control.ipp>
#endif
