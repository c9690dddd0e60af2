// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/trainer/acknowledgement.hpp>
#include <sigma/trainer/run_clock.hpp>
#include <sigma/trainer/run_state.hpp>
#include <sigma/trainer/training_thread.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace sigma::detail {

enum class Command : unsigned char { pause, resume, step, reset, rewind, call };

constexpr std::string_view command_text(Command command) {
    constexpr std::string_view texts[] = {"pause", "resume", "step", "reset", "rewind", "command"};
    return texts[static_cast<std::size_t>(command)];
}

// State and commands of one trainer. Functions of the user run without the lock; whatever else changes, changes under
// it.
class ControlCore {
public:
    using Handler = AnyFunction<void(ControlEvent)>;

    ControlCore(std::string name, Handler handler);

    const std::string& name() const { return thread_->trainer; }
    RunState state() const noexcept { return state_.load(); }
    const ControlFlags& flags() const noexcept { return flags_; }
    bool stopping() const noexcept { return flags_.stopping; }
    bool on_training_thread() const { return thread_->id.load() == std::this_thread::get_id(); }
    RunClock& clock() { return clock_; }
    bool closed() const;

    Acknowledgement give(Command command, AnyFunction<void()> function = {});

    /// Who stops it; where nobody says: a hook on the thread that trains, elsewhere a command.
    Acknowledgement stop(std::string_view by = {});

    void wait() const;

    void begin(std::thread::id trainer);
    // A run that was begun by another thread goes on in this one.
    void adopt() { thread_->id.store(std::this_thread::get_id()); }

    [[gnu::cold]] void handle();
    RunEnding ending() const;

    void end(const std::exception_ptr& thrown, bool told_by_wait);

    // From now on the trainer is gone: nothing reaches its handler any more.
    void close();

private:
    struct Request {
        Command command;
        AnyFunction<void()> function;
        Acknowledgement acknowledgement;
    };

    [[noreturn]] void refuse(std::string_view what, const char* expected, const char* found) const;
    std::exception_ptr run_ended(Command command) const;
    static std::string text_of(const std::exception_ptr& thrown);
    // While the trainer is idle, commands are executed by those who give them, one at a time.
    void wait_for_others(std::unique_lock<std::mutex>& lock);
    Request next();
    template <class F>
    static std::exception_ptr unlocked(std::unique_lock<std::mutex>& lock, F f) {
        std::exception_ptr thrown;
        lock.unlock();
        try {
            f();
        } catch (...) { thrown = std::current_exception(); }
        lock.lock();
        return thrown;
    }
    std::exception_ptr tell(std::unique_lock<std::mutex>& lock, ControlEvent event);
    std::exception_ptr change(std::unique_lock<std::mutex>& lock, RunState to);
    // Executes and acknowledges; returns what was thrown.
    std::exception_ptr serve(std::unique_lock<std::mutex>& lock, Request& request);

    const SharedOwner<TrainingThread> thread_;
    Handler handler_;
    RunClock clock_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<RunState> state_{RunState::idle};
    ControlFlags flags_;  // changes under the lock
    std::deque<Request> queue_;
    std::optional<Acknowledgement> stepping_;  // the step whose iteration is under way
    Acknowledgement stopped_, ended_;          // of the present run
    RunEnding ending_as_;                      // of the last run
    std::string stopped_by_;                   // of the present one
    std::thread::id serving_{};                // who executes a command of an idle trainer
    bool ending_ = false, closed_ = false;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/control_core.ipp>
#endif
