// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/mean_absolute_error.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL void MeanAbsoluteError::add(const detail::MetricPair& pair) {
    for (std::size_t i = 0; i < pair.size(); ++i)
        total_ += std::abs(pair.predictions.values[i] - pair.targets.values[i]);
    count_ += pair.size();
}

}  // namespace sigma
