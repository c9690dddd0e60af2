// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma::detail {

/// One thread that runs jobs in order, with a bound on how many may wait. It starts with the first job. An exception of
/// a job waits to be taken.
class HookThread {
public:
    using Clock = std::chrono::steady_clock;

    HookThread() = default;
    HookThread(const HookThread&) = delete;
    HookThread& operator=(const HookThread&) = delete;
    ~HookThread();

    /// May one more be submitted, where `waiting` may wait behind the one that runs?
    bool accepts(std::uint64_t waiting) const { return unfinished_.load(std::memory_order_acquire) <= waiting; }
    void submit(std::function<void()> job);
    /// Waits until nothing is left to do.
    void drain();
    /// The same for at most so many seconds; is nothing left?
    bool drained_within(double seconds);
    /// When the present job began, as ticks of the clock; 0 between jobs.
    std::int64_t job() const { return started_.load(std::memory_order_acquire); }
    static double seconds_since(std::int64_t began);
    /// Says for whom the present job works; asked by what must not wait for that trainer.
    static void work_for(const void* trainer) { trainer_ = trainer; }
    static bool works_for(const void* trainer) { return trainer_ == trainer; }
    bool failed() const { return failed_.load(std::memory_order_acquire); }
    std::exception_ptr take_failure();

private:
    static constexpr double seconds_per_tick =
        static_cast<double>(Clock::period::num) / static_cast<double>(Clock::period::den);
    inline static thread_local const void* trainer_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::thread thread_;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::atomic<std::uint64_t> unfinished_{0};
    std::atomic<std::int64_t> started_{0};
    bool ending_ = false;

    void work();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/hook_thread.ipp>
#endif
