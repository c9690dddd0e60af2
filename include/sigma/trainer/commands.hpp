// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/trainer/control.hpp>

namespace sigma::detail {

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

}  // namespace sigma::detail
