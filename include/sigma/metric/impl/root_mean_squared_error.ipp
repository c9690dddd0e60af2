// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/root_mean_squared_error.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL void RootMeanSquaredError::add(const detail::MetricPair& pair) {
    for (std::size_t i = 0; i < pair.size(); ++i) {
        const double d = pair.predictions.values[i] - pair.targets.values[i];
        total_ += d * d;
    }
    count_ += pair.size();
}

SIGMA_IMPL double RootMeanSquaredError::value() const {
    return std::sqrt(detail::quotient(total_, static_cast<double>(count_)));
}

}  // namespace sigma
