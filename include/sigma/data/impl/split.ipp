// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/split.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL std::vector<std::vector<std::size_t>> positions_by_class(const Dataset& dataset) {
    check_has_labels(dataset);
    std::vector<float> labels(dataset.size());
    dataset.for_each_position([&](std::size_t position) { labels[position] = dataset.target(position)[0]; });
    std::map<float, std::vector<std::size_t>> classes;
    for (std::size_t position = 0; position < labels.size(); ++position) classes[labels[position]].push_back(position);
    std::vector<std::vector<std::size_t>> all;
    for (auto& [label, positions] : classes) all.push_back(std::move(positions));
    return all;
}

SIGMA_IMPL std::vector<std::size_t> parts_of_blocks(const Dataset& dataset, const std::vector<std::size_t>& round) {
    std::map<std::size_t, std::size_t> blocks;  // what is there of them, and in which part it comes
    for (std::size_t position = 0; position < dataset.size(); ++position) blocks[dataset.block_of(position)];
    std::size_t turn = 0;
    for (auto& [number, to] : blocks) to = round[turn++ % round.size()];
    std::vector<std::size_t> parts(dataset.size());
    for (std::size_t position = 0; position < dataset.size(); ++position)
        parts[position] = blocks[dataset.block_of(position)];
    return parts;
}

}  // namespace sigma::detail
