// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

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

namespace detail {

class ControlCore;
struct TrainingThread;

}  // namespace detail

/// Says when a command has taken effect. Copies speak of the same command; it may be kept longer than the trainer.
class Acknowledgement {
public:
    /// Whether the command has taken effect, failed, or was refused because the run ended before.
    bool done() const;
    /// Waits for the effect. Throws what the command threw, and a StateError if the run ended before the command could
    /// take effect, or if the thread that trains would have to wait for itself.
    void wait() const;
    /// The same for at most `duration`; whether the command has taken effect by then.
    template <AnyDuration D>
    bool wait_for(D duration) const {
        return wait_seconds(detail::in_seconds(duration));
    }

private:
    friend detail::ControlCore;
    struct Outcome;
    explicit Acknowledgement(detail::SharedOwner<const detail::TrainingThread> thread);

    void finish(std::exception_ptr thrown = nullptr) const;
    void refuse_trainer() const;
    bool wait_seconds(double seconds) const;

    detail::SharedOwner<Outcome> outcome_;
};

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

namespace detail {

/// Commands to a trainer, from any thread; each can be waited for (acknowledgement.hpp). They take effect between two
/// iterations.
class Commands {
public:
    /// Waits for the end of a run that `start` began, and throws what ended it.
    void wait() { control_.wait(); }
    RunState state() const { return control_.state(); }
    /// Seconds of all runs, without pauses.
    double runtime() const { return control_.runtime(); }

    /// Ends the run after the present step, or moment where a hook says so.
    Acknowledgement stop() { return control_.stop(); }
    Acknowledgement pause() { return control_.pause(); }
    Acknowledgement resume() { return control_.resume(); }
    /// One iteration of a paused run.
    Acknowledgement step() { return control_.step(); }
    /// Back to the beginning: parameters are drawn anew, the optimizer is what the trainer was made with, counters and
    /// hooks start again; a run ends.
    Acknowledgement reset() { return control_.reset(); }
    /// Back to where the present or last run began.
    Acknowledgement rewind() { return control_.rewind(); }
    /// Calls a function between two iterations: `post([&] { trainer.optimizer.learning_rate = 0.01; })`.
    Acknowledgement post(AnyFunction<void()> f) { return control_.post(std::move(f)); }
    /// The same commands as a handle whose copies may outlive the trainer.
    const Remote& control() const { return control_; }

protected:
    Commands(std::string name, Control::Handler handler) : control_(std::move(name), std::move(handler)) {}
    ~Commands() = default;
    Control control_;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/control.ipp>
#endif
