// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/control_core.hpp>

#include <utility>

namespace sigma::detail {

SIGMA_IMPL ControlCore::ControlCore(std::string name, Handler handler)
    : thread_(SharedOwner<TrainingThread>::make()), handler_(std::move(handler)), stopped_(thread_), ended_(thread_) {
    thread_->trainer = std::move(name);
    ended_.finish();
}

SIGMA_IMPL bool ControlCore::closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
}

SIGMA_IMPL Acknowledgement ControlCore::give(Command command, AnyFunction<void()> function) {
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
        request.acknowledgement.finish(run_ended(command));  // or one that gives itself again would never let it end
    } else {
        queue_.push_back(request);
        flags_.pending = true;
        changed_.notify_all();
    }
    return request.acknowledgement;
}

SIGMA_IMPL Acknowledgement ControlCore::stop(std::string_view by) {
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

SIGMA_IMPL void ControlCore::wait() const {
    std::unique_lock lock(mutex_);
    const Acknowledgement ended = ended_;
    lock.unlock();
    ended.wait();
}

SIGMA_IMPL void ControlCore::begin(std::thread::id trainer) {
    std::unique_lock lock(mutex_);
    wait_for_others(lock);
    if (closed_) refuse("run", "a trainer", "one that was destroyed");
    if (state() != RunState::idle)
        refuse("run", "an idle trainer", state() == RunState::paused ? "a paused one" : "a running one");
    if (serving_ != std::thread::id()) refuse("run", "an idle trainer", "one that executes a command");
    stopped_ = Acknowledgement(thread_);
    ended_ = Acknowledgement(thread_);
    flags_.stopping = false;
    flags_.pending = false;
    ending_as_ = {};
    thread_->id.store(trainer);
    state_.store(RunState::running);
    clock_.resume();
}

SIGMA_IMPL void ControlCore::handle() {  // out of the training loop
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
    flags_.pending = !queue_.empty() || stepping_ || stopping();
}

SIGMA_IMPL std::string ControlCore::text_of(const std::exception_ptr& thrown) {
    if (!thrown) return {};
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) { return error.what(); } catch (...) {
        return "something was thrown that is no std::exception";
    }
}

SIGMA_IMPL RunEnding ControlCore::ending() const {
    std::lock_guard lock(mutex_);
    return ending_as_;
}

SIGMA_IMPL void ControlCore::end(const std::exception_ptr& thrown, bool told_by_wait) {
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
    ended_.finish(told_by_wait ? thrown : nullptr);
    changed_.notify_all();
}

SIGMA_IMPL void ControlCore::close() {
    std::unique_lock lock(mutex_);
    wait_for_others(lock);
    closed_ = true;
    handler_ = nullptr;
}

SIGMA_IMPL void ControlCore::refuse(std::string_view what, const char* expected, const char* found) const {
    throw StateError(sentence(what, " of trainer '", name(), "'"), expected, found);
}

SIGMA_IMPL std::exception_ptr ControlCore::run_ended(Command command) const {
    return std::make_exception_ptr(StateError(sentence(command_text(command), " of trainer '", name(), "'"),
                                              "a running trainer", "one whose run is ending"));
}

SIGMA_IMPL void ControlCore::wait_for_others(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return serving_ == std::thread::id() || serving_ == std::this_thread::get_id(); });
}

SIGMA_IMPL ControlCore::Request ControlCore::next() {
    Request request = std::move(queue_.front());
    queue_.pop_front();
    return request;
}

SIGMA_IMPL std::exception_ptr ControlCore::tell(std::unique_lock<std::mutex>& lock, ControlEvent event) {
    return unlocked(lock, [&] {
        if (handler_) handler_(event);
    });
}

SIGMA_IMPL std::exception_ptr ControlCore::change(std::unique_lock<std::mutex>& lock, RunState to) {
    if (state() == to) return nullptr;
    state_.store(to);
    to == RunState::paused ? clock_.pause() : clock_.resume();
    return tell(lock, to == RunState::paused ? ControlEvent::pause : ControlEvent::resume);
}

SIGMA_IMPL std::exception_ptr ControlCore::serve(std::unique_lock<std::mutex>& lock, Request& request) {
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
        case Command::reset: thrown = tell(lock, ControlEvent::reset); break;
        case Command::rewind: thrown = tell(lock, ControlEvent::rewind); break;
        case Command::call: thrown = unlocked(lock, [function = std::move(request.function)] { function(); }); break;
    }
    // Taken back, it is as it was before that run.
    if (state() == RunState::idle && (request.command == Command::reset || request.command == Command::rewind))
        ending_as_ = {};
    request.acknowledgement.finish(thrown);
    return thrown;
}

}  // namespace sigma::detail
