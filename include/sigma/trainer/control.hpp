// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/trainer/acknowledgement.hpp>
#include <sigma/trainer/run_state.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace sigma {

namespace detail {

class RunClock;

}  // namespace detail

/// Commands to one trainer, from any thread. Copies command the same trainer, and may outlive it: then it is idle for
/// good.
///
/// Commands take effect at the next boundary between two iterations, in the order they were given, except `stop`, which
/// overtakes. A function that runs on the thread that trains, a hook for instance, may give any command, but not wait
/// for it. What makes no sense for an idle trainer throws StateError; docs/control.md has the table.
class Remote {
public:
    const std::string& name() const&;
    std::string name() && { return name(); }
    RunState state() const noexcept;
    /// Whether the trainer was destroyed.
    bool closed() const;
    /// Whether the caller is on the thread of the present run.
    bool on_training_thread() const;
    /// Seconds of all runs, without pauses.
    double runtime() const noexcept;

    /// What has ended the last run by an exception, as a sentence; empty where nothing did, and while one goes on.
    std::string failure() const;
    /// How the last run has ended, and why.
    RunEnding ending() const;

    /// Waits between two iterations, executing commands, until `resume`, `step` or `stop`.
    Acknowledgement pause() const;
    Acknowledgement resume() const;
    /// One iteration, then paused; acknowledged after it.
    Acknowledgement step() const;
    /// Ends the run; acknowledged when it has ended, at once if there is none. Who stops it, in words, is the reason of
    /// its ending: unless said "a hook" on the thread that trains, elsewhere "a command".
    Acknowledgement stop(std::string_view by = {}) const;
    /// Passed on to the trainer, whose words these are. An idle trainer obeys within the call.
    Acknowledgement reset() const;
    Acknowledgement rewind() const;
    /// Calls a function while no worker is within an iteration: what it sets is seen by all at the same one. What it
    /// throws comes out of the acknowledgement, not out of the run. For an idle trainer it is called at once.
    Acknowledgement post(detail::AnyFunction<void()> function) const;
    /// Waits until the present run has ended, if there is one, and throws what ended it if it was begun by `start`:
    /// again at each call, until the next run. Throws StateError on the thread that trains.
    void wait() const;

protected:
    explicit Remote(detail::SharedOwner<detail::ControlCore> core) : core_(std::move(core)) {}
    detail::SharedOwner<detail::ControlCore> core_;
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
    using Handler = detail::AnyFunction<void(detail::ControlEvent)>;

    explicit Control(std::string name, Handler handler = {});
    ~Control();
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    /// Whether `handle` has something to do.
    bool pending() const noexcept { return flags_.pending; }
    /// Whether the run is to end; stays so until the next begins.
    bool stopping() const noexcept { return flags_.stopping; }
    /// Executes commands; returns when the next iteration, or the end, is due.
    void handle();
    /// Goes while running, not while paused or idle. Its class is in run_clock.hpp.
    detail::RunClock& clock();
    /// Adds seconds to the running time, for instance those before a checkpoint.
    void add_runtime(double seconds) noexcept;

    /// Throws StateError when a run goes on.
    void begin_run();
    /// Executes the functions, resets and rewinds still waiting, and refuses what else is.
    void end_run();

    /// body() between begin_run and end_run.
    template <class Body>
    void run(Body&& body) {
        begin_run();
        try {
            body();
        } catch (...) {
            fail_run();
            throw;
        }
        end_run();
    }
    /// The same on a new thread; returns when the run has begun. `wait` throws what body() threw.
    void start(detail::AnyFunction<void()> body);
    /// Stops the run that `start` began, if it goes on, and waits for its end; no commands any more.
    void close() noexcept;

private:
    struct Thread;
    const detail::ControlFlags& flags_;
    Thread* const thread_;

    explicit Control(detail::SharedOwner<detail::ControlCore> core);
    /// The exception under way has ended it.
    void fail_run();
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/control.ipp>
#endif
