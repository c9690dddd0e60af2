// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/prefetcher.hpp>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace sigma::detail {

struct AheadRing::State {
    const std::size_t count;  ///< number of slots
    const std::uint64_t per_epoch;
    const Fill fill;

    std::mutex mutex{};
    std::condition_variable to_fill{}, filled{};
    std::size_t current = 0, ready = 0;  ///< number of the current slot, and of ready ones after it
    BatchPosition next{}, to_make{};     ///< position of the first ready slot, now or soon, and of the next to fill
    std::uint64_t end = 0, generation = 0;
    std::exception_ptr failure{};  ///< error of the batch at to_make
    bool active = false, filling = false, closed = false;
    std::thread thread{};

    std::size_t after(std::size_t slot, std::size_t by) const { return (slot + by) % count; }
    BatchPosition after(BatchPosition p) const {
        return p.number + 1 < per_epoch ? BatchPosition{p.epoch, p.number + 1} : BatchPosition{p.epoch + 1, 0};
    }
    void forget() {
        ++generation;
        ready = 0;
        failure = nullptr;
        active = false;
    }
    bool wanted() const { return active && !failure && ready + 1 < count && to_make.epoch < end; }

    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            to_fill.wait(lock, [&] { return closed || wanted(); });
            if (closed) return;
            // Not the slot in use: it stays `ready` and one before this slot, even if batches are taken meanwhile. If
            // all prepared batches are discarded, it does not move until this is over.
            const std::size_t slot = after(current, ready + 1);
            const BatchPosition at = to_make;
            const std::uint64_t began = generation;
            std::exception_ptr thrown;
            filling = true;
            lock.unlock();
            try {
                fill(slot, at);
            } catch (...) { thrown = std::current_exception(); }
            lock.lock();
            filling = false;
            if (generation == began) {
                failure = std::move(thrown);
                if (!failure) {
                    ++ready;
                    to_make = after(to_make);
                }
            }
            thrown = nullptr;
            filled.notify_all();
        }
    }
};

SIGMA_IMPL AheadRing::AheadRing(std::size_t depth, std::uint64_t batches_per_epoch, Fill fill)
    : state_(new State{depth + 1, batches_per_epoch, std::move(fill)}) {}

SIGMA_IMPL AheadRing::~AheadRing() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->closed = true;
    }
    state_->to_fill.notify_all();
    if (state_->thread.joinable()) state_->thread.join();
    delete state_;
}

SIGMA_IMPL std::size_t AheadRing::get(BatchPosition at, std::uint64_t end) {
    State& s = *state_;
    std::unique_lock lock(s.mutex);
    if (!s.active || at != s.next) {
        s.forget();
        s.next = s.to_make = at;
        s.active = true;
    }
    s.end = std::max(end, at.epoch + 1);
    if (!s.thread.joinable()) s.thread = std::thread([&s] { s.work(); });
    s.to_fill.notify_one();
    s.filled.wait(lock, [&] { return s.ready > 0 || s.failure; });
    if (s.ready == 0) {
        s.active = false;
        std::rethrow_exception(std::exchange(s.failure, nullptr));
    }
    s.current = s.after(s.current, 1);
    --s.ready;
    s.next = s.after(s.next);
    s.to_fill.notify_one();
    return current_ = s.current;
}

SIGMA_IMPL void AheadRing::halt() {
    std::unique_lock lock(state_->mutex);
    state_->forget();
    state_->filled.wait(lock, [&] { return !state_->filling; });
}

}  // namespace sigma::detail
