// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

#include <cstdint>
#include <exception>

namespace sigma::detail {

/// One thread that runs jobs in order, with a bound on how many may wait. It starts with the first job. An exception of
/// a job waits to be taken.
class HookThread {
public:
    HookThread();
    HookThread(const HookThread&) = delete;
    HookThread& operator=(const HookThread&) = delete;
    ~HookThread();

    /// May one more be submitted, where `waiting` may wait behind the one that runs?
    bool accepts(std::uint64_t waiting) const;
    void submit(AnyFunction<void()> job);
    /// Waits until nothing is left to do.
    void drain();
    /// The same for at most so many seconds; is nothing left?
    bool drained_within(double seconds);
    /// When the present job began, as ticks of the clock; 0 between jobs.
    std::int64_t job() const;
    static double seconds_since(std::int64_t began);
    /// Says for whom the present job works; asked by what must not wait for that trainer.
    static void work_for(const void* trainer) { trainer_ = trainer; }
    static bool works_for(const void* trainer) { return trainer_ == trainer; }
    bool failed() const;
    std::exception_ptr take_failure();

private:
    inline static thread_local const void* trainer_ = nullptr;
    struct State;
    State* const state_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/hook_thread.ipp>
#endif
