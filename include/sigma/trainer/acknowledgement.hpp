// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/trainer/run_state.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace sigma {

namespace detail {
class ControlCore;

/// Who trains: the thread that must not wait for itself. No thread when the trainer is idle.
struct TrainingThread {
    std::string trainer;
    std::atomic<std::thread::id> id{};
};
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
    template <class Number, class Period>
    bool wait_for(std::chrono::duration<Number, Period> duration) const {
        std::unique_lock lock(outcome_->mutex);
        refuse_trainer();
        if (!outcome_->changed.wait_for(lock, duration, [&] { return outcome_->done; })) return false;
        if (outcome_->thrown) std::rethrow_exception(outcome_->thrown);
        return true;
    }

private:
    friend detail::ControlCore;
    struct Outcome {
        explicit Outcome(std::shared_ptr<const detail::TrainingThread> thread_) : thread(std::move(thread_)) {}
        std::shared_ptr<const detail::TrainingThread> thread;
        std::mutex mutex;
        std::condition_variable changed;
        std::exception_ptr thrown;
        bool done = false;
    };
    explicit Acknowledgement(std::shared_ptr<const detail::TrainingThread> thread);

    void finish(std::exception_ptr thrown = nullptr) const;
    void refuse_trainer() const;

    std::shared_ptr<Outcome> outcome_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/acknowledgement.ipp>
#endif
