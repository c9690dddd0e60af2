// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/time_per.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL void Durations::note(double runtime, bool over, std::size_t span) {
    const bool before = since_ >= 0 && runtime >= since_;
    if (over && before) {
        if (last_.size() < span) last_.push_back(0);
        next_ = next_ % span;
        last_[next_++] = runtime - since_;
    }
    if (over || !before) since_ = runtime;
}

SIGMA_IMPL void Durations::clear() {
    last_.clear();
    next_ = 0;
    since_ = -1;
}

SIGMA_IMPL double Durations::mean() {
    sorted_ = last_;
    std::ranges::sort(sorted_);
    const std::size_t n = sorted_.size();
    auto dropped = static_cast<std::size_t>(std::sqrt(static_cast<double>(n) / 2));
    if (2 * dropped >= n) dropped = (n - 1) / 2;
    double total = 0;
    for (std::size_t i = dropped; i < n - dropped; ++i) total += sorted_[i];
    return total / static_cast<double>(n - 2 * dropped);
}

}  // namespace sigma::detail
