// SPDX-License-Identifier: BSL-1.0
// Times of the calling thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <time.h>

namespace clocks {

/// Seconds of the calling thread on a processor, and of the clock on the wall.
struct Time {
    double processor = 0, wall = 0;
    static Time now() { return {read(CLOCK_THREAD_CPUTIME_ID), read(CLOCK_MONOTONIC)}; }
    friend Time operator-(Time a, Time b) { return {a.processor - b.processor, a.wall - b.wall}; }

private:
    static double read(clockid_t clock) {
        timespec t;
        clock_gettime(clock, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
};

template <class F>
Time time(F f) {
    const Time start = Time::now();
    f();
    return Time::now() - start;
}

inline double median(std::vector<double> x) {
    if (x.empty()) return 0;
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return *middle;
}

}  // namespace clocks
