// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sigma {

SIGMA_IMPL double Progress::share_of_epoch() const {
    return batches == 0 ? 0.0 : std::min(1.0, static_cast<double>(batch) / static_cast<double>(batches));
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

SIGMA_IMPL std::string progress_line(const Progress& progress, bool utf8, std::size_t bar_width) {
    std::string line = sentence("epoch ", progress.epoch, progress.epochs == 0 ? "" : sentence("/", progress.epochs),
                                " |", bar(progress.share_of_epoch(), bar_width, utf8), "|");
    if (!std::isnan(progress.error)) line += sentence("  error ", detail::fixed_text(progress.error, 4));
    if (!std::isnan(progress.accuracy))
        line += sentence("  accuracy ", detail::fixed_text(100 * progress.accuracy, 2), " %");
    if (progress.samples_per_second > 0) line += sentence("  ", rate(progress.samples_per_second), " samples/s");
    if (!std::isnan(progress.seconds_left)) line += sentence("  ", duration(progress.seconds_left), " left");
    return line;
}

SIGMA_IMPL bool is_interactive(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

}  // namespace sigma::terminal

namespace sigma {

SIGMA_IMPL void ProgressPrinter::update(const Progress& progress) {
    if (!interactive_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    print("\r", progress, "\033[K");
}

SIGMA_IMPL void ProgressPrinter::end_of_epoch(const Progress& progress) {
    if (interactive_) print("\r", progress, "\033[K\n");
    else print("", progress, "\n");
}

SIGMA_IMPL void ProgressPrinter::print(const char* before, const Progress& progress, const char* after) {
    const std::string line = sentence(before, terminal::progress_line(progress), after);
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
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

}  // namespace sigma
