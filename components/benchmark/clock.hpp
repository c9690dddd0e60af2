// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <time.h>

namespace sigma::detail {

/// Seconds of the processors of this process, and of the clock.
struct Time {
    double processor = 0, wall = 0;

    static Time now() { return {read(CLOCK_PROCESS_CPUTIME_ID), read(CLOCK_MONOTONIC)}; }
    friend Time operator-(Time a, Time b) { return {a.processor - b.processor, a.wall - b.wall}; }

private:
    static double read(clockid_t clock) {
        timespec t{};
        clock_gettime(clock, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
};

}  // namespace sigma::detail
