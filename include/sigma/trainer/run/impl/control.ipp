// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/run/run_clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace sigma {

namespace detail {

/// The training thread, which must not wait for itself. No thread if the trainer is idle.
struct TrainingThread {
    std::string trainer;
    std::atomic<std::thread::id> id{};
};

}  // namespace detail

struct Acknowledgement::Outcome {
    explicit Outcome(detail::SharedOwner<const detail::TrainingThread> thread_) : thread(std::move(thread_)) {}
    detail::SharedOwner<const detail::TrainingThread> thread;
    std::mutex mutex;
    std::condition_variable changed;
    std::exception_ptr thrown;
    bool done = false;
};

SIGMA_IMPL bool Acknowledgement::done() const {
    std::lock_guard lock(outcome_->mutex);
    return outcome_->done;
}

SIGMA_IMPL void Acknowledgement::wait() const {
    std::unique_lock lock(outcome_->mutex);
    refuse_trainer();
    outcome_->changed.wait(lock, [&] { return outcome_->done; });
    if (outcome_->thrown) std::rethrow_exception(outcome_->thrown);
}

SIGMA_IMPL bool Acknowledgement::wait_seconds(double seconds) const {
    // A longer time than this would overflow the clock.
    const std::chrono::duration<double> time(std::min(seconds, 1e9));
    std::unique_lock lock(outcome_->mutex);
    refuse_trainer();
    if (!outcome_->changed.wait_for(lock, time, [&] { return outcome_->done; })) return false;
    if (outcome_->thrown) std::rethrow_exception(outcome_->thrown);
    return true;
}

SIGMA_IMPL Acknowledgement::Acknowledgement(detail::SharedOwner<const detail::TrainingThread> thread)
    : outcome_(detail::SharedOwner<Outcome>::make(std::move(thread))) {}

SIGMA_IMPL void Acknowledgement::finish(std::exception_ptr thrown) const {
    {
        std::lock_guard lock(outcome_->mutex);
        outcome_->done = true;
        outcome_->thrown = std::move(thrown);
    }
    outcome_->changed.notify_all();
}

SIGMA_IMPL void Acknowledgement::refuse_trainer() const {
    if (!outcome_->done && outcome_->thread->id.load() == std::this_thread::get_id())
        throw StateError(sentence("wait for trainer '", outcome_->thread->trainer, "'"),
                         "a thread other than the training thread", "the training thread, which would wait for itself");
}

namespace detail {

enum class Command : unsigned char { pause, resume, step, reset, rewind, call };

constexpr std::string_view command_text(Command command) {
    constexpr std::string_view texts[] = {"pause", "resume", "step", "reset", "rewind", "command"};
    return texts[static_cast<std::size_t>(command)];
}

// State and commands of one trainer. The lock guards all changes. User functions run without the lock.
class ControlCore {
public:
    using Handler = AnyFunction<void(ControlEvent)>;

    ControlCore(std::string name, Handler handler)
        : thread_(SharedOwner<TrainingThread>::make()), handler_(std::move(handler)), stopped_(thread_),
          ended_(thread_) {
        thread_->trainer = std::move(name);
        ended_.finish();
    }

    const std::string& name() const { return thread_->trainer; }
    RunState state() const noexcept { return state_.load(); }
    const ControlFlags& flags() const noexcept { return flags_; }
    bool stopping() const noexcept { return flags_.stopping; }
    bool on_training_thread() const { return thread_->id.load() == std::this_thread::get_id(); }
    RunClock& clock() { return clock_; }
    bool closed() const {
        std::lock_guard lock(mutex_);
        return closed_;
    }

    Acknowledgement give(Command command, AnyFunction<void()> function = {}) {
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
                run_ended(command));  // a command that gives itself again would keep the run from ending
        } else {
            queue_.push_back(request);
            flags_.pending = true;
            changed_.notify_all();
        }
        return request.acknowledgement;
    }

    /// Ends the run. `by` is the reason; default: a hook on the training thread, else a command.
    Acknowledgement stop(std::string_view by = {}) {
        std::lock_guard lock(mutex_);
        if (state() == RunState::idle) {
            Acknowledgement at_once(thread_);
            at_once.finish();
            return at_once;
        }
        if (!stopping()) stopped_by_ = !by.empty() ? by : on_training_thread() ? "a hook" : "a command";
        flags_.stopping = true;
        flags_.pending = true;
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
        if (serving_ != std::thread::id()) refuse("run", "an idle trainer", "a trainer executing a command");
        stopped_ = Acknowledgement(thread_);
        ended_ = Acknowledgement(thread_);
        flags_.stopping = false;
        flags_.pending = false;
        ending_as_ = {};
        thread_->id.store(trainer);
        state_.store(RunState::running);
        clock_.resume();
    }
    // Makes this thread the training thread of a run that another thread has begun.
    void adopt() { thread_->id.store(std::this_thread::get_id()); }

    [[gnu::cold]] void handle() {  // cold: keeps it out of the training loop
        std::unique_lock lock(mutex_);
        if (stepping_) {
            const auto thrown = change(lock, RunState::paused);
            std::exchange(stepping_, std::nullopt)->finish(thrown);
            if (thrown) std::rethrow_exception(thrown);
        }
        // Commands that user functions give here wait for the next boundary, unless the trainer is paused.
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
        flags_.pending = !queue_.empty() || stepping_ || stopping();
    }
    RunEnding ending() const {
        std::lock_guard lock(mutex_);
        return ending_as_;
    }

    void end(const std::exception_ptr& thrown, bool wait_throws) {
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
        flags_.pending = false;
        if (thrown) ending_as_ = {RunEnding::failed, text_of(thrown)};
        else if (stopping()) ending_as_ = {RunEnding::stopped, std::move(stopped_by_)};
        else ending_as_ = {RunEnding::finished, {}};
        stopped_.finish();
        ended_.finish(wait_throws ? thrown : nullptr);
        changed_.notify_all();
    }

    // Closes the trainer. Its handler is not called any more.
    void close() {
        std::unique_lock lock(mutex_);
        wait_for_others(lock);
        closed_ = true;
        handler_ = nullptr;
    }

private:
    struct Request {
        Command command;
        AnyFunction<void()> function;
        Acknowledgement acknowledgement;
    };

    [[noreturn]] void refuse(std::string_view what, const char* expected, const char* found) const {
        throw StateError(sentence(what, " of trainer '", name(), "'"), expected, found);
    }
    std::exception_ptr run_ended(Command command) const {
        return std::make_exception_ptr(StateError(sentence(command_text(command), " of trainer '", name(), "'"),
                                                  "a running trainer", "an ending run"));
    }
    static std::string text_of(const std::exception_ptr& thrown) {
        if (!thrown) return {};
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& error) { return error.what(); } catch (...) {
            return "an exception that is not a std::exception";
        }
    }
    // Commands to an idle trainer are executed by the calling threads, one at a time.
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
        } catch (...) { thrown = std::current_exception(); }
        lock.lock();
        return thrown;
    }
    std::exception_ptr call_handler(std::unique_lock<std::mutex>& lock, ControlEvent event) {
        return unlocked(lock, [&] {
            if (handler_) handler_(event);
        });
    }
    std::exception_ptr change(std::unique_lock<std::mutex>& lock, RunState to) {
        if (state() == to) return nullptr;
        state_.store(to);
        to == RunState::paused ? clock_.pause() : clock_.resume();
        return call_handler(lock, to == RunState::paused ? ControlEvent::pause : ControlEvent::resume);
    }
    // Executes and acknowledges a command. Returns its exception.
    std::exception_ptr serve(std::unique_lock<std::mutex>& lock, Request& request) {
        std::exception_ptr thrown;
        if (request.command < Command::reset && (ending_ || stopping())) {
            request.acknowledgement.finish(run_ended(request.command));
            return nullptr;
        }
        switch (request.command) {
            case Command::pause: thrown = change(lock, RunState::paused); break;
            case Command::resume: thrown = change(lock, RunState::running); break;
            case Command::step:
                thrown = change(lock, RunState::running);
                if (thrown) break;
                stepping_ = request.acknowledgement;  // acknowledged after its iteration
                return nullptr;
            case Command::reset: thrown = call_handler(lock, ControlEvent::reset); break;
            case Command::rewind: thrown = call_handler(lock, ControlEvent::rewind); break;
            case Command::call:
                thrown = unlocked(lock, [function = std::move(request.function)] { function(); });
                break;
        }
        // A reset or rewind of an idle trainer also undoes the ending of its last run.
        if (state() == RunState::idle && (request.command == Command::reset || request.command == Command::rewind))
            ending_as_ = {};
        request.acknowledgement.finish(thrown);
        return thrown;
    }

    const SharedOwner<TrainingThread> thread_;
    Handler handler_;
    RunClock clock_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<RunState> state_{RunState::idle};
    ControlFlags flags_;  // changes under the lock
    std::deque<Request> queue_;
    std::optional<Acknowledgement> stepping_;  // the running step
    Acknowledgement stopped_, ended_;          // of the current run
    RunEnding ending_as_;                      // of the last run
    std::string stopped_by_;                   // of the current run
    std::thread::id serving_{};                // the thread that executes a command of an idle trainer
    bool ending_ = false, closed_ = false;
};

}  // namespace detail

SIGMA_IMPL const std::string& Remote::name() const& { return core_->name(); }

SIGMA_IMPL RunState Remote::state() const noexcept { return core_->state(); }

SIGMA_IMPL bool Remote::closed() const { return core_->closed(); }

SIGMA_IMPL bool Remote::on_training_thread() const { return core_->on_training_thread(); }

SIGMA_IMPL double Remote::runtime() const noexcept { return core_->clock().elapsed(); }

SIGMA_IMPL Acknowledgement Remote::pause() const { return core_->give(detail::Command::pause); }

SIGMA_IMPL Acknowledgement Remote::resume() const { return core_->give(detail::Command::resume); }

SIGMA_IMPL RunEnding Remote::ending() const { return core_->ending(); }

SIGMA_IMPL std::string Remote::failure() const {
    RunEnding ending = core_->ending();
    return ending.how == RunEnding::failed ? std::move(ending.reason) : std::string();
}

SIGMA_IMPL Acknowledgement Remote::step() const { return core_->give(detail::Command::step); }

SIGMA_IMPL Acknowledgement Remote::stop(std::string_view by) const { return core_->stop(by); }

SIGMA_IMPL Acknowledgement Remote::reset() const { return core_->give(detail::Command::reset); }

SIGMA_IMPL Acknowledgement Remote::rewind() const { return core_->give(detail::Command::rewind); }

SIGMA_IMPL Acknowledgement Remote::post(detail::AnyFunction<void()> function) const {
    return core_->give(detail::Command::call, std::move(function));
}

SIGMA_IMPL void Remote::wait() const { core_->wait(); }

struct Control::Thread {
    std::mutex mutex;
    std::thread thread;

    // Destroys the body and everything it holds before the run is reported as ended.
    static std::exception_ptr execute(detail::AnyFunction<void()> body) {
        try {
            body();
        } catch (...) { return std::current_exception(); }
        return nullptr;
    }
    /// Waits for the end of an earlier run.
    void join() {
        if (thread.joinable()) thread.join();
    }
};

SIGMA_IMPL Control::Control(std::string name, Handler handler)
    : Control(detail::SharedOwner<detail::ControlCore>::make(std::move(name), std::move(handler))) {}

SIGMA_IMPL Control::Control(detail::SharedOwner<detail::ControlCore> core)
    : Remote(std::move(core)), flags_(core_->flags()), thread_(new Thread) {}

SIGMA_IMPL Control::~Control() {
    close();
    delete thread_;
}

SIGMA_IMPL void Control::handle() { core_->handle(); }

SIGMA_IMPL detail::RunClock& Control::clock() { return core_->clock(); }

SIGMA_IMPL void Control::add_runtime(double seconds) noexcept { core_->clock().add(seconds); }

SIGMA_IMPL void Control::begin_run() { core_->begin(std::this_thread::get_id()); }

SIGMA_IMPL void Control::end_run() { core_->end(nullptr, false); }

SIGMA_IMPL void Control::fail_run() { core_->end(std::current_exception(), false); }

SIGMA_IMPL void Control::start(detail::AnyFunction<void()> body) {
    core_->begin({});
    std::lock_guard lock(thread_->mutex);
    try {
        thread_->join();
        thread_->thread = std::thread([core = core_, kept = std::move(body)]() mutable {
            core->adopt();
            const std::exception_ptr thrown = Thread::execute(std::move(kept));
            core->end(thrown, true);
        });
    } catch (...) {
        core_->end(std::current_exception(), false);
        throw;
    }
}

SIGMA_IMPL void Control::close() noexcept {
    core_->stop("its destruction");
    {
        std::lock_guard lock(thread_->mutex);
        thread_->join();
    }
    core_->close();
}

}  // namespace sigma
