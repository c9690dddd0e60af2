// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/hook_thread.hpp>

namespace sigma::detail {

SIGMA_IMPL HookThread::~HookThread() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
        jobs_.clear();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

SIGMA_IMPL void HookThread::submit(std::function<void()> job) {
    {
        std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        jobs_.push_back(std::move(job));
        unfinished_.fetch_add(1, std::memory_order_relaxed);
    }
    changed_.notify_all();
}

SIGMA_IMPL void HookThread::drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unfinished_.load(std::memory_order_relaxed) == 0; });
}

SIGMA_IMPL bool HookThread::drained_within(double seconds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [&] { return unfinished_.load(std::memory_order_relaxed) == 0; });
}

SIGMA_IMPL double HookThread::seconds_since(std::int64_t began) {
    return static_cast<double>(Clock::now().time_since_epoch().count() - began) * seconds_per_tick;
}

SIGMA_IMPL std::exception_ptr HookThread::take_failure() {
    std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_relaxed);
    return std::exchange(failure_, nullptr);
}

SIGMA_IMPL void HookThread::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        started_.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
        lock.unlock();
        std::exception_ptr thrown;
        try {
            job();
        } catch (...) {
            thrown = std::current_exception();
        }
        job = nullptr;  // what it holds goes before others see that it is done
        lock.lock();
        if (thrown && !failure_) {
            failure_ = thrown;
            failed_.store(true, std::memory_order_release);
        }
        started_.store(0, std::memory_order_release);
        unfinished_.fetch_sub(1, std::memory_order_release);
        changed_.notify_all();
    }
}

}  // namespace sigma::detail
