// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

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

/// A thread that runs jobs in order, with a limit on how many may wait. It starts with the first job. It keeps an
/// exception of a job until `take_failure`. For bodies, because it includes <thread>.
class HookThread {
public:
    HookThread() = default;
    HookThread(const HookThread&) = delete;
    HookThread& operator=(const HookThread&) = delete;
    ~HookThread() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            jobs_.clear();
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    /// Returns whether another job may be submitted, if `waiting` jobs may wait behind the running one.
    bool accepts(std::uint64_t waiting) const { return unfinished_.load(std::memory_order_acquire) <= waiting; }
    void submit(AnyFunction<void()> job) {
        {
            const std::lock_guard lock(mutex_);
            if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
            jobs_.push_back(std::move(job));
            unfinished_.fetch_add(1, std::memory_order_relaxed);
        }
        changed_.notify_all();
    }
    /// Waits until all jobs are done.
    void drain() { drained_within(1e9); }
    /// Waits at most so many seconds until all jobs are done. Returns whether they are.
    bool drained_within(double seconds) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [&] { return unfinished_.load(std::memory_order_relaxed) == 0; });
    }
    /// Returns when the running job began, in ticks of the clock; 0 between jobs.
    std::int64_t job() const { return started_.load(std::memory_order_acquire); }
    static double seconds_since(std::int64_t began) {
        return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(began)).count();
    }
    /// Sets the trainer that this thread's job works for. Code that must not wait for that trainer reads it.
    static void work_for(const void* trainer) { trainer_ = trainer; }
    static bool works_for(const void* trainer) { return trainer_ == trainer; }
    bool failed() const { return failed_.load(std::memory_order_acquire); }
    std::exception_ptr take_failure() {
        const std::lock_guard lock(mutex_);
        failed_.store(false, std::memory_order_relaxed);
        return std::exchange(failure_, nullptr);
    }

private:
    using Clock = std::chrono::steady_clock;

    inline static thread_local const void* trainer_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<AnyFunction<void()>> jobs_;
    std::thread thread_;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::atomic<std::uint64_t> unfinished_{0};
    std::atomic<std::int64_t> started_{0};
    bool ending_ = false;

    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            AnyFunction<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            started_.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
            lock.unlock();
            std::exception_ptr thrown;
            try {
                job();
            } catch (...) { thrown = std::current_exception(); }
            job = nullptr;  // destroys what the job holds before others see that it is done
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
};

}  // namespace sigma::detail
