// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sigma::detail {

/// A clock of the running time, which runs between `resume` and `pause`. All functions are thread-safe, and readers
/// never wait.
class RunClock {
public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    /// Starts the clock from zero.
    void start(Time now = Clock::now()) noexcept { value_.store(going(count(now))); }
    /// Stops the clock at zero.
    void reset() noexcept { value_.store(0); }
    /// Starts the clock unless it is running.
    void resume(Time now = Clock::now()) noexcept {
        replace([&](std::int64_t value) { return is_going(value) ? value : going(count(now) - number(value)); });
    }
    /// Stops the clock if it is running.
    void pause(Time now = Clock::now()) noexcept {
        replace([&](std::int64_t value) { return is_going(value) ? still(count(now) - number(value)) : value; });
    }
    /// Adds to the time, such as the seconds before a checkpoint.
    void add(double seconds) noexcept {
        const auto more = static_cast<std::int64_t>(seconds * 1e9);
        replace([&](std::int64_t value) {
            return is_going(value) ? going(number(value) - more) : still(number(value) + more);
        });
    }
    bool running() const noexcept { return is_going(value_.load()); }
    /// Returns the time in seconds.
    double elapsed(Time now = Clock::now()) const noexcept {
        const std::int64_t value = value_.load();
        return static_cast<double>(is_going(value) ? count(now) - number(value) : number(value)) * 1e-9;
    }

private:
    // One atomic number, so that readers see one state: the time in nanoseconds, or with the lowest bit set the start
    // time.
    static constexpr std::int64_t still(std::int64_t passed) { return passed * 2; }
    static constexpr std::int64_t going(std::int64_t since) { return since * 2 + 1; }
    static constexpr bool is_going(std::int64_t value) { return (value & 1) != 0; }
    static constexpr std::int64_t number(std::int64_t value) { return value >> 1; }
    static std::int64_t count(Time now) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
    }
    template <class F>
    void replace(F f) noexcept {
        std::int64_t value = value_.load();
        while (!value_.compare_exchange_weak(value, f(value))) {}
    }

    std::atomic<std::int64_t> value_{0};
};

}  // namespace sigma::detail
