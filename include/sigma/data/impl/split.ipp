// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/split.hpp>

namespace sigma::detail {

SIGMA_IMPL std::map<float, std::vector<std::size_t>> positions_by_class(const Dataset& dataset) {
    check_has_labels(dataset);
    std::vector<float> labels(dataset.size());
    dataset.for_each_position([&](std::size_t position) { labels[position] = dataset.target(position)[0]; });
    std::map<float, std::vector<std::size_t>> classes;
    for (std::size_t position = 0; position < labels.size(); ++position) classes[labels[position]].push_back(position);
    return classes;
}

}  // namespace sigma::detail
