// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Texts that show the progress of a run. Include it yourself: `<sigma/trainer/terminal/progress.hpp>`, or
/// `<sigma/trainer/terminal.hpp>`.
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

/// The progress of a run.
struct Progress {
    std::uint64_t epoch = 0;   // number of the current epoch, from 1
    std::uint64_t epochs = 0;  // 0: until stopped
    std::uint64_t batch = 0;   // finished batches of this epoch
    std::uint64_t batches = 0;
    double loss = NAN;             // mean of the epoch so far; NaN: unknown, not shown
    double validation_loss = NAN;  // NaN: unknown, not shown
    double accuracy = NAN;         // 0 to 1; NaN: unknown, not shown
    std::string_view more{};       // further text, such as "  r2 0.912"
    double samples_per_second = 0;
    double seconds_left = NAN;

    double share_of_epoch() const;
    /// Computes the time left from the speed. The last batch of an epoch may be shorter than the others.
    void estimate(std::uint64_t records_in_epoch);
};

/// Returns the progress of a run after a batch, or after an epoch if `over`. `batch` is the number of the last batch,
/// from 0.
Progress progress_of_run(bool over, std::uint64_t finished, std::uint64_t planned, std::uint64_t batch,
                         std::uint64_t batches, std::uint64_t records, double speed, double mean_loss);

}  // namespace detail

namespace terminal {

/// Returns a duration as text: "7 s", "3:07", "2:03:07".
/// @param seconds  the duration in seconds
/// @see show_progress
std::string duration(double seconds);

/// Returns a number with three digits: "950", "12.3k", "4.56M".
/// @param number  0 or more
/// @see show_progress
std::string rate(double number);

/// Returns a bar that is filled to a share.
/// @param share  0 to 1
/// @param width  columns of the bar
/// @param utf8   fills eighths of a column if true, whole columns of ASCII characters otherwise
/// @see show_progress
std::string bar(double share, std::size_t width, bool utf8 = true);

/// @cond internal
/// Returns a line such as "epoch 3/20 |██████    |  loss 0.1234  accuracy 95.67 %  123.4k samples/s  0:42 left".
/// @param progress   the progress of a run
/// @param utf8       draws the bar with blocks if true, with ASCII characters otherwise
/// @param bar_width  columns of the bar; 0: no bar
/// @see show_progress
std::string progress_line(const sigma::detail::Progress& progress, bool utf8 = has_utf8(), std::size_t bar_width = 20);

/// Returns the line of `progress_line`, shortened to a number of columns. It omits first the speed, then half of the
/// bar, then the validation loss if there is an accuracy, then the bar.
/// @param columns   greatest number of columns
/// @param progress  the progress of a run
/// @param utf8      draws the bar with blocks if true, with ASCII characters otherwise
/// @see show_progress
std::string progress_line_within(std::size_t columns, const sigma::detail::Progress& progress, bool utf8 = has_utf8());
/// @endcond

}  // namespace terminal

namespace detail {

/// Shows progress in the status line of a terminal, up to ten times a second. Prints a line for each finished epoch, on
/// a terminal and elsewhere.
class ProgressPrinter {
public:
    explicit ProgressPrinter(std::FILE* file = stdout) : status_(file) {}
    ProgressPrinter(std::FILE* file, bool interactive) : status_(file, interactive) {}

    bool interactive() const { return status_.interactive(); }
    /// Sets the trainer. Printers of one trainer overwrite each other's status lines.
    void set_subject(const void* trainer) { status_.set_subject(trainer); }
    void update(const Progress& progress);
    void end_of_epoch(const Progress& progress);

private:
    terminal::StatusLine status_;
    std::chrono::steady_clock::time_point last_{};
};

/// Measures records per second and the time left, from the number of finished records.
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
