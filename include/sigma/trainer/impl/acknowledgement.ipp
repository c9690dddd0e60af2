// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/acknowledgement.hpp>
#include <sigma/trainer/run_state.hpp>
#include <sigma/trainer/training_thread.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma {

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
                         "another thread than the one that trains", "that one");
}

}  // namespace sigma
