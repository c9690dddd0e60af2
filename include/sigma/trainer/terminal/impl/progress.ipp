// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sigma {

namespace detail {

SIGMA_IMPL double Progress::share_of_epoch() const {
    return batches == 0 ? 0.0 : std::min(1.0, static_cast<double>(batch) / static_cast<double>(batches));
}

SIGMA_IMPL void Progress::estimate(std::uint64_t samples_in_epoch) {
    const auto samples = static_cast<double>(samples_in_epoch);
    const double to_come = (static_cast<double>(epochs) - static_cast<double>(epoch) + 1 - share_of_epoch()) * samples;
    seconds_left = epochs == 0 || samples_per_second <= 0 ? NAN : std::max(to_come, 0.0) / samples_per_second;
}

}  // namespace detail

SIGMA_IMPL detail::Progress detail::progress_of_run(bool over, std::uint64_t finished, std::uint64_t planned,
                                                    std::uint64_t trained, std::uint64_t batches, std::uint64_t records,
                                                    double speed, double mean_loss) {
    const bool endless = planned >= std::numeric_limits<std::uint64_t>::max() / 4;  // until the run is stopped
    detail::Progress now{.epoch = finished + (over ? 0 : 1),
                         .epochs = endless ? 0 : planned,
                         .batch = over ? batches : trained + 1,
                         .batches = batches,
                         .loss = mean_loss,
                         .samples_per_second = speed};
    now.estimate(records);
    return now;
}

}  // namespace sigma

namespace sigma::terminal {

SIGMA_IMPL std::string duration(double seconds) {
    const auto s = static_cast<long long>(std::ceil(std::clamp(seconds, 0.0, 3.6e9)));
    if (s < 60) return sentence(s, " s");
    const auto then = [](long long n) { return sentence(n < 10 ? ":0" : ":", n); };
    return s < 3600 ? sentence(s / 60, then(s % 60)) : sentence(s / 3600, then(s / 60 % 60), then(s % 60));
}

SIGMA_IMPL std::string rate(double number) {
    if (number < 1e3) return detail::fixed_text(number, 0);
    if (number < 1e6) return detail::fixed_text(number / 1e3, 1) + "k";
    return detail::fixed_text(number / 1e6, 2) + "M";
}

SIGMA_IMPL std::string bar(double share, std::size_t width, bool utf8) {
    const double filled = (std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0) * static_cast<double>(width);
    const auto whole = static_cast<std::size_t>(filled);
    constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const std::string part = utf8 ? eighths[static_cast<std::size_t>((filled - static_cast<double>(whole)) * 8)] : "";
    std::string text;
    for (std::size_t i = 0; i < whole; ++i) text += utf8 ? "█" : "#";
    text += part;
    for (std::size_t i = whole + (part.empty() ? 0 : 1); i < width; ++i) text += utf8 ? " " : ".";
    return text;
}

SIGMA_IMPL std::string progress_line(const sigma::detail::Progress& progress, bool utf8, std::size_t bar_width) {
    std::string line = sentence("epoch ", progress.epoch, progress.epochs == 0 ? "" : sentence("/", progress.epochs));
    if (bar_width > 0) line += sentence(" |", bar(progress.share_of_epoch(), bar_width, utf8), "|");
    if (!std::isnan(progress.loss)) line += sentence("  loss ", detail::fixed_text(progress.loss, 4));
    if (!std::isnan(progress.validation_loss))
        line += sentence("  validation loss ", detail::fixed_text(progress.validation_loss, 4));
    if (!std::isnan(progress.accuracy))
        line += sentence("  accuracy ", detail::fixed_text(100 * progress.accuracy, 2), " %");
    line += progress.more;
    if (progress.samples_per_second > 0) line += sentence("  ", rate(progress.samples_per_second), " samples/s");
    if (!std::isnan(progress.seconds_left)) line += sentence("  ", duration(progress.seconds_left), " left");
    return line;
}

SIGMA_IMPL std::string progress_line_within(std::size_t columns, const sigma::detail::Progress& progress, bool utf8) {
    struct Choice {
        bool speed, validation;
        std::size_t bar;
    };
    std::string line;
    for (const Choice c :
         {Choice{true, true, 20}, Choice{false, true, 20}, Choice{false, true, 10}, Choice{false, false, 20},
          Choice{false, false, 10}, Choice{false, true, 0}, Choice{false, false, 0}}) {
        sigma::detail::Progress less = progress;
        if (!c.speed) less.samples_per_second = 0;
        if (!c.validation && !std::isnan(progress.accuracy)) less.validation_loss = NAN;
        line = progress_line(less, utf8, c.bar);
        if (width(line) <= columns) break;
    }
    return line;
}

}  // namespace sigma::terminal

namespace sigma::detail {

SIGMA_IMPL void ProgressPrinter::update(const Progress& progress) {
    if (!interactive()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    status_.show(terminal::progress_line_within(terminal::columns(status_.file()) - 1, progress));
}

SIGMA_IMPL void ProgressPrinter::end_of_epoch(const Progress& progress) {
    status_.keep(interactive() ? terminal::progress_line_within(terminal::columns(status_.file()), progress)
                               : terminal::progress_line(progress, terminal::has_utf8(), 0));
}

SIGMA_IMPL double Stopwatch::seconds(Clock::time_point now) const {
    return std::chrono::duration<double>(now - start_).count();
}

SIGMA_IMPL void Stopwatch::measure(Progress& progress, std::uint64_t samples_done, std::uint64_t samples_in_all,
                                   Clock::time_point now) const {
    const double elapsed = seconds(now);
    if (elapsed <= 0 || samples_done == 0) return;
    progress.samples_per_second = static_cast<double>(samples_done) / elapsed;
    progress.seconds_left = samples_done >= samples_in_all
                                ? 0.0
                                : static_cast<double>(samples_in_all - samples_done) / progress.samples_per_second;
}

}  // namespace sigma::detail
