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

}  // namespace sigma
