// SPDX-License-Identifier: BSL-1.0
// A contender reads lines "case seconds" and answers each with "case processor wall heap": for one step, the median of
// the microseconds that this process computed, the least microseconds from begin to end, and the calls of the heap.
// Other programs on the machine lengthen the second, hardly the first. Of cases that begin with "latency-" the first
// two are the median and the 99th percentile of the microseconds on the wall from begin to end of one step. The
// contenders wait for one another, so that compare.py can go round.
#pragma once

#include <sigma/benchmark/count_allocations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <time.h>

namespace contender {

using Work = std::function<void()>;
/// Builds the work of a case anew, outside the measured time.
using Cases = std::map<std::string, std::function<Work()>>;

inline void keep(const void* p) { asm volatile("" ::"g"(p) : "memory"); }

/// The same numbers for every contender, between `low` and `high`.
struct Numbers {
    unsigned state = 1;
    float draw(float low, float high) {
        state = state * 1664525u + 1013904223u;
        return low + (high - low) * static_cast<float>(state >> 8) / 16777216.0f;
    }
    void fill(float* p, std::size_t n, float low, float high) {
        for (std::size_t i = 0; i < n; ++i) p[i] = draw(low, high);
    }
};

/// Zeroed memory on a cache line.
inline std::shared_ptr<float> array(std::size_t n) {
    const std::size_t bytes = (n * sizeof(float) + 127) / 64 * 64;
    std::shared_ptr<float> p(static_cast<float*>(std::aligned_alloc(64, bytes)), std::free);
    std::fill_n(p.get(), n, 0.0f);
    return p;
}
inline std::shared_ptr<float> array(std::size_t n, float low, float high) {
    auto p = array(n);
    Numbers numbers;
    numbers.fill(p.get(), n, low, high);
    return p;
}

/// Seconds of this process's processors, and of the clock on the wall.
struct Time {
    double processor = 0, wall = 0;
    static Time now() { return {read(CLOCK_PROCESS_CPUTIME_ID), read(CLOCK_MONOTONIC)}; }

private:
    static double read(clockid_t clock) {
        timespec t;
        clock_gettime(clock, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
};

inline void measure_latency(const std::string& name, const Work& work, double seconds) {
    for (int i = 0; i < 100; ++i) work();
    std::vector<double> wall;
    wall.reserve(1000000);
    const long heap = sigma::detail::counted_allocations;
    const double end = Time::now().wall + seconds;
    for (double now = 0; now < end && wall.size() < 1000000;) {
        const double start = Time::now().wall;
        work();
        asm volatile("" ::: "memory");
        now = Time::now().wall;
        wall.push_back(now - start);
    }
    const double each =
        static_cast<double>(sigma::detail::counted_allocations - heap) / static_cast<double>(wall.size());
    std::sort(wall.begin(), wall.end());
    std::printf("%s %.6g %.6g %.6g\n", name.c_str(), wall[wall.size() / 2] * 1e6,
                wall[(wall.size() - 1) * 99 / 100] * 1e6, each);
    std::fflush(stdout);
}

inline void measure(const std::string& name, const Work& work, double seconds) {
    if (name.starts_with("latency-")) return measure_latency(name, work, seconds);
    const auto time = [&](long times) {
        const Time start = Time::now();
        for (long i = 0; i < times; ++i) {
            work();
            asm volatile("" ::: "memory");
        }
        const Time end = Time::now();
        const auto n = static_cast<double>(times);
        return Time{(end.processor - start.processor) / n, (end.wall - start.wall) / n};
    };
    work();  // the first step may allocate
    const double warm = std::min(0.1, 0.3 * seconds);
    double spent = 0, once = 1;
    do {
        const double now = time(3).processor;
        once = std::min(once, now);
        spent += 3 * now;
    } while (spent < warm);
    const long times = std::max(1L, static_cast<long>(50e-6 / once));
    std::vector<double> processor, wall;
    processor.reserve(100000), wall.reserve(100000);
    for (spent = 0; (spent < seconds || wall.size() < 5) && wall.size() < 100000;) {
        const Time sample = time(times);
        processor.push_back(sample.processor);
        wall.push_back(sample.wall);
        spent += sample.processor * static_cast<double>(times);
    }
    const long before = sigma::detail::counted_allocations;
    for (int i = 0; i < 10; ++i) work();
    const double heap = static_cast<double>(sigma::detail::counted_allocations - before) / 10;
    const auto middle = processor.begin() + static_cast<std::ptrdiff_t>(processor.size() / 2);
    std::nth_element(processor.begin(), middle, processor.end());
    const double least = *std::min_element(wall.begin(), wall.end());
    std::printf("%s %.6g %.6g %.6g\n", name.c_str(), *middle * 1e6, least * 1e6, heap);
    std::fflush(stdout);
}

inline int serve(const Cases& cases, const std::string& about) {
    std::printf("%s\n", about.c_str());
    for (const auto& c : cases) std::printf("%s ", c.first.c_str());
    std::printf("\n");
    std::fflush(stdout);
    std::string name;
    for (double seconds = 0; std::cin >> name >> seconds;) measure(name, cases.at(name)(), seconds);
    return 0;
}

}  // namespace contender
