// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/subset.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL Dataset subset_of(const Dataset& dataset, std::span<const std::size_t> positions) {
    if (positions.empty())
        throw ArgumentError(sentence("subset of dataset '", dataset.name(), "'"), "at least one record", "none");
    return dataset.select(positions);
}

SIGMA_IMPL Dataset subset_in_order_of(const Dataset& dataset, std::vector<std::size_t> positions) {
    std::ranges::sort(positions);
    return subset_of(dataset, positions);
}

}  // namespace sigma::detail
