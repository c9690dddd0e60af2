// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/terminal.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sigma {

namespace detail {

/// Where training stands.
struct Progress {
    std::uint64_t epoch = 0;   // the one being trained, from 1
    std::uint64_t epochs = 0;  // 0: without end
    std::uint64_t batch = 0;   // trained in this epoch
    std::uint64_t batches = 0;
    double loss = NAN;             // the mean of the epoch so far; NaN: not known yet, and left out
    double validation_loss = NAN;  // the same
    double accuracy = NAN;         // from 0 to 1
    std::string_view more{};       // "  r2 0.912"
    double samples_per_second = 0;
    double seconds_left = NAN;

    double share_of_epoch() const;
    /// The time left, of so many samples in an epoch at that speed; of the last batch a few may lack.
    void estimate(std::uint64_t samples_in_epoch);
};

/// Of a run with so many records an epoch: after a batch (from 0), or when an epoch is over.
Progress progress_of_run(bool over, std::uint64_t finished, std::uint64_t planned, std::uint64_t trained,
                         std::uint64_t batches, std::uint64_t records, double speed, double mean_loss);

}  // namespace detail

namespace terminal {

/// "7 s", "3:07", "2:03:07"
std::string duration(double seconds);

/// "950", "12.3k", "4.56M"
std::string rate(double number);

/// A bar of `width` columns, filled to `share` (0 to 1) in eighths of a column where the terminal knows UTF-8.
std::string bar(double share, std::size_t width, bool utf8 = true);

/// "epoch 3/20 |██████    |  loss 0.1234  accuracy 95.67 %  123.4k samples/s  0:42 left"; of ASCII where the terminal
/// does not know UTF-8, and without a bar where that has no columns.
std::string progress_line(const sigma::detail::Progress& progress, bool utf8 = has_utf8(), std::size_t bar_width = 20);

/// As much of it as goes into so many columns: first the speed goes, then half of the bar, then, where there is an
/// accuracy, the loss of validation, then the bar.
std::string progress_line_within(std::size_t columns, const sigma::detail::Progress& progress, bool utf8 = has_utf8());

}  // namespace terminal

namespace detail {

/// Shows progress: on a terminal in its status line, up to ten times a second; what a finished epoch was stays, as a
/// line of its own, on a terminal or not.
class ProgressPrinter {
public:
    explicit ProgressPrinter(std::FILE* file = stdout) : status_(file) {}
    ProgressPrinter(std::FILE* file, bool interactive) : status_(file, interactive) {}

    bool interactive() const { return status_.interactive(); }
    /// Printers of one trainer's runs write over each other's lines.
    void speak_of(const void* trainer) { status_.speak_of(trainer); }
    void update(const Progress& progress);
    void end_of_epoch(const Progress& progress);

private:
    terminal::StatusLine status_;
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

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/progress.ipp>
#endif
