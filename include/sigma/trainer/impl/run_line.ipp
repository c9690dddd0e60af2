// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/run_line.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sigma::detail {

SIGMA_IMPL RunLine::RunLine(const std::string& name, const void* trainer, bool shown)
    : name_(name), trainer_(trainer), status_(stderr, shown), shows_(shown),
      next_(begin_ + std::chrono::milliseconds(333)) {}

SIGMA_IMPL void RunLine::show(const Progress& now) {
    began_showing_ = true;
    next_ = Clock::now() + std::chrono::milliseconds(100);
    const std::size_t columns = terminal::columns(stderr) - 1, taken = terminal::width(name_) + 2;
    status_.show(sentence(name_, "  ", terminal::progress_line_within(columns - std::min(columns, taken), now)));
}

SIGMA_IMPL void RunLine::end(Progress last, bool stays) {
    if (!stays) return status_.hide();
    last.seconds_left = std::nan("");
    const std::chrono::duration<double> seconds = Clock::now() - begin_;
    status_.keep(sentence(
        name_, "  ", terminal::progress_line(last, terminal::has_utf8(), 0), "  in ",
        seconds.count() < 10 ? sentence(fixed_text(seconds.count(), 1), " s") : terminal::duration(seconds.count())));
}

}  // namespace sigma::detail
