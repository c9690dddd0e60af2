// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/binary_counts.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL BinaryCounts::BinaryCounts(double threshold) : threshold_(threshold) {
    if (std::isnan(threshold)) throw ArgumentError("threshold of binary counts", "a number", "nan");
}

SIGMA_IMPL double BinaryCounts::share(std::size_t part, std::size_t whole) {
    return detail::quotient(static_cast<double>(part), static_cast<double>(whole));
}

SIGMA_IMPL void BinaryCounts::add(const detail::MetricPair& pair) {
    detail::MetricRows::check_range(pair.targets, "binary counts", 2, {});
    for (std::size_t i = 0; i < pair.size(); ++i) {
        const bool yes = pair.predictions.values[i] >= threshold_, is = pair.targets.values[i] != 0;
        ++counts_[2 * is + yes];
    }
}

}  // namespace sigma
