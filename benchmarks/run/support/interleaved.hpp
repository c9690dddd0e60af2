// SPDX-License-Identifier: BSL-1.0
// Variants of one piece of work that take turns, so that what else the machine does meets them alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <time.h>

namespace interleaved {

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

/// Work of a known number of steps, with what comes before and after it outside the measured time.
struct Variant {
    std::string name;
    std::function<void()> before, work, after;
    std::vector<double> processor{}, wall{};  ///< seconds of each round
};

/// So many rounds, each variant once in a round, each time another one first.
inline void take_turns(std::vector<Variant>& variants, int rounds) {
    const auto count = variants.size();
    for (int round = -1; round < rounds; ++round)  // the first is not counted
        for (std::size_t i = 0; i < count; ++i) {
            Variant& v = variants[(i + static_cast<std::size_t>(round + 1)) % count];
            if (v.before) v.before();
            const Time t = time(v.work);
            if (v.after) v.after();
            if (round < 0) continue;
            v.processor.push_back(t.processor);
            v.wall.push_back(t.wall);
        }
}

/// A row of a table for each: medians in microseconds a step, and how much more than the first variant's, as the
/// median over rounds of the difference within a round.
inline void print(const char* title, const std::vector<Variant>& variants, double steps) {
    std::printf("\n%s\n| variant | processor us | least | wall us | more ns | %% |\n|---|---|---|---|---|---|\n",
                title);
    const double base = median(variants[0].processor);
    for (const Variant& v : variants) {
        std::vector<double> more;
        for (std::size_t i = 0; i < v.processor.size(); ++i) more.push_back(v.processor[i] - variants[0].processor[i]);
        const double least = *std::min_element(v.processor.begin(), v.processor.end());
        std::printf("| %s | %.4g | %.4g | %.4g | %.1f | %.2f |\n", v.name.c_str(), median(v.processor) / steps * 1e6,
                    least / steps * 1e6, median(v.wall) / steps * 1e6, median(more) / steps * 1e9,
                    100 * median(more) / base);
    }
    std::fflush(stdout);
}

}  // namespace interleaved
