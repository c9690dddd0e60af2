// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace sigma {

/// Where training stands.
struct Progress {
    std::uint64_t epoch = 0;   // the one being trained, from 1
    std::uint64_t epochs = 0;  // 0: without end
    std::uint64_t batch = 0;   // trained in this epoch
    std::uint64_t batches = 0;
    double error = NAN;     // NaN: not known yet, and left out
    double accuracy = NAN;  // from 0 to 1
    double samples_per_second = 0;
    double seconds_left = NAN;

    double share_of_epoch() const;
};

namespace terminal {

/// "7 s", "3:07", "2:03:07"
std::string duration(double seconds);

/// "950", "12.3k", "4.56M"
std::string rate(double number);

/// A bar of `width` columns, filled to `share` (0 to 1) in eighths of a column where the terminal knows UTF-8.
std::string bar(double share, std::size_t width, bool utf8 = true);

/// "epoch  3/20 |██████    |  error 0.1234  accuracy 95.67 %  123.4k samples/s  0:42 left"
std::string progress_line(const Progress& progress, bool utf8 = true, std::size_t bar_width = 20);

/// Whether the file is a terminal a person looks at.
bool is_interactive(std::FILE* file);

}  // namespace terminal

/// Prints progress to a file: on a terminal one line that rewrites itself up to ten times a second; elsewhere, in a log
/// for instance, one line for each epoch.
class ProgressPrinter {
public:
    explicit ProgressPrinter(std::FILE* file = stdout) : ProgressPrinter(file, terminal::is_interactive(file)) {}
    ProgressPrinter(std::FILE* file, bool interactive) : file_(file), interactive_(interactive) {}

    void update(const Progress& progress);

    void end_of_epoch(const Progress& progress);

private:
    void print(const char* before, const Progress& progress, const char* after);

    std::FILE* file_;
    bool interactive_;
    std::chrono::steady_clock::time_point last_{};
};

/// Measures samples per second and the time left, from how many samples are done.
class Stopwatch {
public:
    using Clock = std::chrono::steady_clock;

    explicit Stopwatch(Clock::time_point begin = Clock::now()) : start_(begin) {}

    double seconds(Clock::time_point now = Clock::now()) const;

    void measure(Progress& progress, std::uint64_t samples_done, std::uint64_t samples_in_all,
                 Clock::time_point now = Clock::now()) const;

private:
    Clock::time_point start_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/progress.ipp>
#endif
