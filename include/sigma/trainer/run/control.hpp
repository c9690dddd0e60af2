// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Commands to a running trainer: Remote, Acknowledgement, RunState, StateError. Included by `<sigma/sigma.hpp>`.
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

/// States of a trainer.
///
/// @see Remote
enum class RunState : unsigned char {
    idle,     ///< No run.
    running,  ///< A run takes steps.
    paused,   ///< The training thread of a run waits between two iterations.
};

namespace detail {

/// Returns "idle", "running" or "paused".
constexpr std::string_view state_text(RunState state) {
    return state == RunState::idle ? "idle" : state == RunState::running ? "running" : "paused";
}

}  // namespace detail

/// The ending of a trainer's last run.
///
/// @see Remote
struct RunEnding {
    /// Kinds of endings.
    enum How : unsigned char {
        none,      ///< There was no run since the trainer was made or reset, or a run is active.
        finished,  ///< The run trained all its epochs.
        stopped,   ///< `stop` ended the run.
        failed,    ///< An exception ended the run.
    };
    How how = none;        ///< Kind of the ending.
    std::string reason{};  ///< The source of the stop, such as "a hook", or the text of the exception.
};

/// Returns the name of an ending: "none", "finished", "stopped" or "failed".
/// @param how  kind of ending
/// @see RunEnding
constexpr std::string_view ending_text(RunEnding::How how) {
    constexpr std::string_view texts[] = {"none", "finished", "stopped", "failed"};
    return texts[how];
}

namespace detail {

/// Events that a Control passes to its trainer. Each change between running and paused is passed once.
enum class ControlEvent : unsigned char { pause, resume, reset, rewind };

/// Flags that a training loop reads in each iteration.
struct ControlFlags {
    Relaxed<bool> pending, stopping;
};

}  // namespace detail

/// Thrown by a command that is not allowed in the current state of a trainer.
///
/// Example of a text: "pause of trainer 'digits': expected a running trainer, found an idle one".
///
/// @see Remote, docs/control.md
struct StateError : MismatchError {
    using MismatchError::MismatchError;
};

namespace detail {

class ControlCore;
struct TrainingThread;

}  // namespace detail

/// A handle to a command that was given to a trainer. Copies refer to the same command. A handle may outlive the
/// trainer.
///
/// @par Example
/// @code
/// trainer.start(cpu(), 5);
/// const Acknowledgement paused = trainer.pause();
/// paused.wait();
/// trainer.stop();
/// trainer.wait();
/// @endcode
class Acknowledgement {
public:
    /// Returns whether the command has taken effect, has failed, or was rejected because the run ended.
    bool done() const;
    /// Waits until the command has taken effect. Rethrows an exception of the command.
    /// @throws StateError  if the run ended before the command took effect, or on the training thread, which would wait
    ///                     for itself
    void wait() const;
    /// Waits until the command has taken effect, for a limited time. Rethrows an exception of the command.
    /// @param duration  a `std::chrono` duration
    /// @return whether the command has taken effect
    /// @throws StateError  as `wait` does
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

/// A handle that gives commands to a trainer, from any thread.
///
/// Copies command the same trainer and may outlive it. A destroyed trainer counts as idle. Commands take effect between
/// two iterations, in the order of the calls. Only `stop` overtakes other commands. A function on the training thread,
/// such as a hook, may give any command but must not wait for it. Commands that an idle trainer cannot execute throw
/// StateError.
///
/// @par Example
/// @code
/// const Remote remote = trainer.control();
/// std::thread other([remote] { remote.stop(); });
/// other.join();
/// @endcode
/// @see docs/control.md
class Remote {
public:
    /// Returns the name of the trainer.
    const std::string& name() const&;
    /// @copydoc name
    std::string name() && { return name(); }
    /// Returns whether the trainer is idle, running or paused.
    RunState state() const noexcept;
    /// Returns whether the trainer was destroyed.
    bool closed() const;
    /// Returns whether the caller is on the thread of the current run.
    bool on_training_thread() const;
    /// Returns the seconds of all runs, without pauses.
    double runtime() const noexcept;

    /// Returns the text of the exception that ended the last run. Empty if none did, and during a run.
    std::string failure() const;
    /// Returns how the last run has ended, and why.
    RunEnding ending() const;

    /// Pauses the run between two iterations, until `resume`, `step` or `stop`.
    /// @return acknowledged when the run is paused
    /// @throws StateError  if the trainer is idle
    Acknowledgement pause() const;
    /// Continues a paused run.
    /// @return acknowledged when the run continues
    /// @throws StateError  if the trainer is idle
    Acknowledgement resume() const;
    /// Takes one iteration, then pauses.
    /// @return acknowledged after the iteration
    /// @throws StateError  if the trainer is idle
    Acknowledgement step() const;
    /// Ends the run.
    /// @param by  the source of the stop, for `RunEnding::reason`. Default: "a hook" on the training thread, else "a
    ///            command".
    /// @return acknowledged when the run has ended; at once if there is no run
    Acknowledgement stop(std::string_view by = {}) const;
    /// Resets the trainer: new initial parameters, the first optimizer, counts of 0. An active run starts
    /// again. An idle trainer is reset within the call.
    /// @return an Acknowledgement that is done when the trainer is reset
    Acknowledgement reset() const;
    /// Returns the trainer to the state in which the current or last run began. An idle trainer is rewound within the
    /// call.
    /// @return an Acknowledgement that is done when the trainer is rewound
    Acknowledgement rewind() const;
    /// Calls a function between two iterations, when no worker is within an iteration. An idle trainer calls it at
    /// once.
    /// @param function  called on the training thread. An exception of the function is rethrown by the acknowledgement
    ///                  and does not end the run.
    /// @return acknowledged when the function has returned
    Acknowledgement post(detail::AnyFunction<void()> function) const;
    /// Waits until the current run has ended.
    ///
    /// If the run was begun by `start`, rethrows the exception that ended it, at each call until the next run.
    ///
    /// @throws StateError  on the training thread
    void wait() const;

    /// @cond internal
protected:
    explicit Remote(detail::SharedOwner<detail::ControlCore> core) : core_(std::move(core)) {}
    detail::SharedOwner<detail::ControlCore> core_;
    /// @endcond
};

/// The trainer's side of a Remote, for training loops of your own.
///
/// The handler is called on the training thread, or for `reset` and `rewind` of an idle trainer on the thread of the
/// command. An exception of the handler ends the run and is rethrown by the acknowledgement. A trainer that starts
/// threads calls `close` first in its destructor, or has its Control as the last member.
///
/// @par Example
/// @code
/// Control control("mine");
/// int iterations = 0;
/// control.run([&] {  // or start(…), on another thread
///     while (iterations < 100 && !control.stopping()) {
///         ++iterations;
///         if (control.pending()) control.handle();
///     }
/// });
/// @endcode
class Control : public Remote {
public:
    /// A function that is called when a command pauses, resumes, resets or rewinds the trainer.
    using Handler = detail::AnyFunction<void(detail::ControlEvent)>;

    /// Constructs the control of an idle trainer.
    /// @param name     name in messages
    /// @param handler  called with each event; default: none
    explicit Control(std::string name, Handler handler = {});
    /// Stops a run that `start` began, and waits for its end.
    ~Control();
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    /// Returns whether commands are waiting, so that the loop must call `handle`. Costs one relaxed load.
    bool pending() const noexcept { return flags_.pending; }
    /// Returns whether the run must end. Remains true until the next run begins.
    bool stopping() const noexcept { return flags_.stopping; }
    /// Executes commands, and waits while the run is paused. Returns when the next iteration or the end of the run is
    /// due.
    void handle();
    /// Returns the clock, which runs while the trainer is running. Its class is in run_clock.hpp.
    detail::RunClock& clock();
    /// Adds to the running time, such as the time before a checkpoint.
    /// @param seconds  may be negative
    void add_runtime(double seconds) noexcept;

    /// Begins a run on this thread.
    /// @throws StateError  if the trainer is running or paused
    void begin_run();
    /// Ends the run. Executes waiting functions, resets and rewinds, and rejects other waiting commands.
    void end_run();
    /// Ends the run with the exception that is being handled. Call it in a `catch` block.
    void fail_run();

    /// Runs a training loop on this thread, between `begin_run` and `end_run`. Rethrows an exception of the loop.
    /// @param body  the training loop
    /// @throws StateError  if the trainer is running or paused
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
    /// Runs a training loop on a new thread, and returns when the run has begun. `wait` rethrows an exception of the
    /// loop.
    /// @param body  the training loop
    /// @throws StateError  if the trainer is running or paused
    void start(detail::AnyFunction<void()> body);
    /// Stops a run that `start` began and waits for its end. Rejects all further commands.
    void close() noexcept;

private:
    struct Thread;
    const detail::ControlFlags& flags_;
    Thread* const thread_;

    explicit Control(detail::SharedOwner<detail::ControlCore> core);
};

namespace detail {

/// The commands of a trainer, which you may give from any thread. They take effect between two iterations.
class Commands {
public:
    /// Waits for the end of a run that `start` began. Rethrows the exception that ended the run.
    /// @throws StateError  on the training thread
    void wait() { control_.wait(); }
    /// Returns whether the trainer is idle, running or paused.
    RunState state() const { return control_.state(); }
    /// Returns the seconds of all runs, without pauses.
    double runtime() const { return control_.runtime(); }

    /// Ends the run after the current step, or after the current moment if a hook calls it.
    /// @return acknowledged when the run has ended
    Acknowledgement stop() { return control_.stop(); }
    /// Pauses the run between two iterations.
    /// @return acknowledged when the run is paused
    /// @throws StateError  if the trainer is idle
    Acknowledgement pause() { return control_.pause(); }
    /// Continues a paused run.
    /// @return acknowledged when the run continues
    /// @throws StateError  if the trainer is idle
    Acknowledgement resume() { return control_.resume(); }
    /// Takes one iteration of a paused run.
    /// @return acknowledged after the iteration
    /// @throws StateError  if the trainer is idle
    Acknowledgement step() { return control_.step(); }
    /// Resets the trainer: new initial parameters, the optimizer of the constructor, counts and hooks that start again.
    /// An active run starts again, too.
    /// @return an Acknowledgement that is done when the trainer is reset
    Acknowledgement reset() { return control_.reset(); }
    /// Returns the trainer to the state in which the current or last run began.
    /// @return an Acknowledgement that is done when the trainer is rewound
    Acknowledgement rewind() { return control_.rewind(); }
    /// Calls a function between two iterations.
    /// @param function  called on the training thread
    /// @return acknowledged when the function has returned
    ///
    /// @par Example
    /// @code
    /// trainer.post([&] { trainer.optimizer.learning_rate = 0.01; }).wait();
    /// @endcode
    Acknowledgement post(AnyFunction<void()> function) { return control_.post(std::move(function)); }
    /// Returns a handle with which any thread commands the trainer. Its copies may outlive the trainer.
    const Remote& control() const { return control_; }

protected:
    Commands(std::string name, Control::Handler handler) : control_(std::move(name), std::move(handler)) {}
    ~Commands() = default;
    Control control_;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/control.ipp>
#endif
