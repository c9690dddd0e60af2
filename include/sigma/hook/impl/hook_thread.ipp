// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/hook_thread.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma::detail {

struct HookThread::State {
    using Clock = std::chrono::steady_clock;

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<AnyFunction<void()>> jobs;
    std::thread thread;
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    std::atomic<std::uint64_t> unfinished{0};
    std::atomic<std::int64_t> started{0};
    bool ending = false;

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return ending || !jobs.empty(); });
            if (jobs.empty()) return;
            AnyFunction<void()> job = std::move(jobs.front());
            jobs.pop_front();
            started.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
            lock.unlock();
            std::exception_ptr thrown;
            try {
                job();
            } catch (...) { thrown = std::current_exception(); }
            job = nullptr;  // what it holds goes before others see that it is done
            lock.lock();
            if (thrown && !failure) {
                failure = thrown;
                failed.store(true, std::memory_order_release);
            }
            started.store(0, std::memory_order_release);
            unfinished.fetch_sub(1, std::memory_order_release);
            changed.notify_all();
        }
    }
};

SIGMA_IMPL HookThread::HookThread() : state_(new State) {}

SIGMA_IMPL HookThread::~HookThread() {
    {
        std::lock_guard lock(state_->mutex);
        state_->ending = true;
        state_->jobs.clear();
    }
    state_->changed.notify_all();
    if (state_->thread.joinable()) state_->thread.join();
    delete state_;
}

SIGMA_IMPL bool HookThread::accepts(std::uint64_t waiting) const {
    return state_->unfinished.load(std::memory_order_acquire) <= waiting;
}

SIGMA_IMPL void HookThread::submit(AnyFunction<void()> job) {
    State& s = *state_;
    {
        std::lock_guard lock(s.mutex);
        if (!s.thread.joinable()) s.thread = std::thread([&s] { s.work(); });
        s.jobs.push_back(std::move(job));
        s.unfinished.fetch_add(1, std::memory_order_relaxed);
    }
    s.changed.notify_all();
}

SIGMA_IMPL void HookThread::drain() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->unfinished.load(std::memory_order_relaxed) == 0; });
}

SIGMA_IMPL bool HookThread::drained_within(double seconds) {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                    [&] { return state_->unfinished.load(std::memory_order_relaxed) == 0; });
}

SIGMA_IMPL std::int64_t HookThread::job() const { return state_->started.load(std::memory_order_acquire); }

SIGMA_IMPL double HookThread::seconds_since(std::int64_t began) {
    using ClockPeriod = State::Clock::period;
    constexpr double seconds_per_tick = static_cast<double>(ClockPeriod::num) / static_cast<double>(ClockPeriod::den);
    return static_cast<double>(State::Clock::now().time_since_epoch().count() - began) * seconds_per_tick;
}

SIGMA_IMPL bool HookThread::failed() const { return state_->failed.load(std::memory_order_acquire); }

SIGMA_IMPL std::exception_ptr HookThread::take_failure() {
    std::lock_guard lock(state_->mutex);
    state_->failed.store(false, std::memory_order_relaxed);
    return std::exchange(state_->failure, nullptr);
}

}  // namespace sigma::detail
