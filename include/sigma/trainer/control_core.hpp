// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/trainer/acknowledgement.hpp>
#include <sigma/trainer/run_clock.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>

namespace sigma {

/// What a trainer is told by its Control. Every change between running and paused is told once.
enum class ControlEvent : unsigned char { pause, resume, reset, rewind };

namespace detail {

enum class Command : unsigned char { pause, resume, step, reset, rewind, call };

constexpr std::string_view command_text(Command command) {
    constexpr std::string_view texts[] = {"pause", "resume", "step", "reset", "rewind", "command"};
    return texts[static_cast<std::size_t>(command)];
}

// State and commands of one trainer. Functions of the user run without the lock; whatever else changes, changes under
// it.
class ControlCore {
public:
    using Handler = std::function<void(ControlEvent)>;

    ControlCore(std::string name, Handler handler)
        : thread_(std::make_shared<TrainingThread>()), handler_(std::move(handler)), stopped_(thread_),
          ended_(thread_) {
        thread_->trainer = std::move(name);
        ended_.finish();
    }

    const std::string& name() const { return thread_->trainer; }
    RunState state() const noexcept { return state_.load(); }
    bool pending() const noexcept { return pending_.load(std::memory_order_relaxed); }
    bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }
    bool on_training_thread() const { return thread_->id.load() == std::this_thread::get_id(); }
    RunClock& clock() { return clock_; }
    bool closed() const {
        std::lock_guard lock(mutex_);
        return closed_;
    }

    Acknowledgement give(Command command, std::function<void()> function = {}) {
        std::unique_lock lock(mutex_);
        const bool always = command >= Command::reset;
        if (always) wait_for_others(lock);
        if (closed_) refuse(command_text(command), "a trainer", "one that was destroyed");
        if (state() == RunState::idle && !always) refuse(command_text(command), "a running trainer", "an idle one");
        Request request{command, std::move(function), Acknowledgement(thread_)};
        if (state() == RunState::idle) {
            const auto before = std::exchange(serving_, std::this_thread::get_id());
            serve(lock, request);
            serving_ = before;
            changed_.notify_all();
        } else if (ending_ && on_training_thread()) {
            request.acknowledgement.finish(
                run_ended(command));  // or one that gives itself again would never let it end
        } else {
            queue_.push_back(request);
            pending_.store(true, std::memory_order_relaxed);
            changed_.notify_all();
        }
        return request.acknowledgement;
    }

    Acknowledgement stop() {
        std::lock_guard lock(mutex_);
        if (state() == RunState::idle) {
            Acknowledgement at_once(thread_);
            at_once.finish();
            return at_once;
        }
        stopping_.store(true, std::memory_order_relaxed);
        pending_.store(true, std::memory_order_relaxed);
        changed_.notify_all();
        return stopped_;
    }

    void wait() const {
        std::unique_lock lock(mutex_);
        const Acknowledgement ended = ended_;
        lock.unlock();
        ended.wait();
    }

    void begin(std::thread::id trainer) {
        std::unique_lock lock(mutex_);
        wait_for_others(lock);
        if (closed_) refuse("run", "a trainer", "one that was destroyed");
        if (state() != RunState::idle)
            refuse("run", "an idle trainer", state() == RunState::paused ? "a paused one" : "a running one");
        if (serving_ != std::thread::id()) refuse("run", "an idle trainer", "one that executes a command");
        stopped_ = Acknowledgement(thread_);
        ended_ = Acknowledgement(thread_);
        stopping_.store(false, std::memory_order_relaxed);
        pending_.store(false, std::memory_order_relaxed);
        thread_->id.store(trainer);
        state_.store(RunState::running);
        clock_.resume();
    }
    // A run that was begun by another thread goes on in this one.
    void adopt() { thread_->id.store(std::this_thread::get_id()); }

    [[gnu::cold, gnu::noinline]] void handle() {  // out of the training loop
        std::unique_lock lock(mutex_);
        if (stepping_) {
            const auto thrown = change(lock, RunState::paused);
            std::exchange(stepping_, std::nullopt)->finish(thrown);
            if (thrown) std::rethrow_exception(thrown);
        }
        // What functions give while they are executed here waits for the next boundary, unless the trainer is paused.
        std::size_t left = queue_.size();
        while (!stepping_) {
            if (left == 0) {
                if (state() != RunState::paused || stopping()) break;
                changed_.wait(lock, [&] { return !queue_.empty() || stopping(); });
                left = queue_.size();
            } else {
                --left;
                Request request = next();
                const auto thrown = serve(lock, request);
                if (thrown && request.command != Command::call) std::rethrow_exception(thrown);
            }
        }
        pending_.store(!queue_.empty() || stepping_ || stopping(), std::memory_order_relaxed);
    }

    void end(const std::exception_ptr& thrown, bool told_by_wait) {
        std::unique_lock lock(mutex_);
        ending_ = true;
        while (!queue_.empty()) {
            Request request = next();
            serve(lock, request);
        }
        ending_ = false;
        if (stepping_) std::exchange(stepping_, std::nullopt)->finish(thrown);
        clock_.pause();
        thread_->id.store({});
        state_.store(RunState::idle);
        pending_.store(false, std::memory_order_relaxed);
        stopped_.finish();
        ended_.finish(told_by_wait ? thrown : nullptr);
        changed_.notify_all();
    }

    // From now on the trainer is gone: nothing reaches its handler any more.
    void close() {
        std::unique_lock lock(mutex_);
        wait_for_others(lock);
        closed_ = true;
        handler_ = nullptr;
    }

private:
    struct Request {
        Command command;
        std::function<void()> function;
        Acknowledgement acknowledgement;
    };

    [[noreturn]] void refuse(std::string_view what, const char* expected, const char* found) const {
        throw StateError(sentence(what, " of trainer '", name(), "'"), expected, found);
    }
    std::exception_ptr run_ended(Command command) const {
        return std::make_exception_ptr(StateError(sentence(command_text(command), " of trainer '", name(), "'"),
                                                  "a running trainer", "one whose run is ending"));
    }
    // While the trainer is idle, commands are executed by those who give them, one at a time.
    void wait_for_others(std::unique_lock<std::mutex>& lock) {
        changed_.wait(lock, [&] { return serving_ == std::thread::id() || serving_ == std::this_thread::get_id(); });
    }
    Request next() {
        Request request = std::move(queue_.front());
        queue_.pop_front();
        return request;
    }
    template <class F>
    static std::exception_ptr unlocked(std::unique_lock<std::mutex>& lock, F f) {
        std::exception_ptr thrown;
        lock.unlock();
        try {
            f();
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        return thrown;
    }
    std::exception_ptr tell(std::unique_lock<std::mutex>& lock, ControlEvent event) {
        return unlocked(lock, [&] {
            if (handler_) handler_(event);
        });
    }
    std::exception_ptr change(std::unique_lock<std::mutex>& lock, RunState to) {
        if (state() == to) return nullptr;
        state_.store(to);
        to == RunState::paused ? clock_.pause() : clock_.resume();
        return tell(lock, to == RunState::paused ? ControlEvent::pause : ControlEvent::resume);
    }
    // Executes and acknowledges; returns what was thrown.
    std::exception_ptr serve(std::unique_lock<std::mutex>& lock, Request& request) {
        std::exception_ptr thrown;
        if (request.command < Command::reset && (ending_ || stopping())) {
            request.acknowledgement.finish(run_ended(request.command));
            return nullptr;
        }
        switch (request.command) {
            case Command::pause:
                thrown = change(lock, RunState::paused);
                break;
            case Command::resume:
                thrown = change(lock, RunState::running);
                break;
            case Command::step:
                thrown = change(lock, RunState::running);
                if (thrown) break;
                stepping_ = request.acknowledgement;  // acknowledged after its iteration
                return nullptr;
            case Command::reset:
                thrown = tell(lock, ControlEvent::reset);
                break;
            case Command::rewind:
                thrown = tell(lock, ControlEvent::rewind);
                break;
            case Command::call:
                thrown = unlocked(lock, [function = std::move(request.function)] { function(); });
                break;
        }
        request.acknowledgement.finish(thrown);
        return thrown;
    }

    const std::shared_ptr<TrainingThread> thread_;
    Handler handler_;
    RunClock clock_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<RunState> state_{RunState::idle};
    std::atomic<bool> pending_{false}, stopping_{false};
    std::deque<Request> queue_;
    std::optional<Acknowledgement> stepping_;  // the step whose iteration is under way
    Acknowledgement stopped_, ended_;          // of the present run
    std::thread::id serving_{};                // who executes a command of an idle trainer
    bool ending_ = false, closed_ = false;
};

}  // namespace detail
}  // namespace sigma
