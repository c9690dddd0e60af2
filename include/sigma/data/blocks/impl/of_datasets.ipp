// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/of_datasets.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sigma::data {

SIGMA_IMPL DatasetBlocks::DatasetBlocks(std::vector<Dataset> datasets, std::size_t block_records)
    : datasets_(std::move(datasets)), sections_(datasets_.at(0).sections()),
      block_records_(std::max<std::size_t>(block_records, 1)) {
    for (const Dataset& d : datasets_) records_ += d.size();
}

SIGMA_IMPL std::string DatasetBlocks::key() const {
    std::string all = "concatenate(";
    for (const Dataset& d : datasets_) all += d.key() + ";";
    return sentence(all, "); blocks of ", block_records_);
}

SIGMA_IMPL void DatasetBlocks::load(std::size_t number, Block& to) const {
    std::size_t first = number * block_records_, row = 0;
    to.records = std::min(block_records_, records_ - first);
    to.values.resize(sections_.size());
    for (std::size_t s = 0; s < sections_.size(); ++s) to.values[s].resize(to.records * sections_[s].size());
    std::vector<std::size_t> positions;
    for (const Dataset& d : datasets_) {
        const std::size_t count = first < d.size() ? std::min(d.size() - first, to.records - row) : 0;
        positions.resize(count);
        std::iota(positions.begin(), positions.end(), first);
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            const std::size_t size = sections_[s].size();
            float* const at = to.values[s].data() + row * size;
            if (sections_[s].target)
                d.copy_targets(positions, at, size, s - d.input_count());
            else
                d.copy_inputs(positions, at, size, s);
        }
        first -= std::min(first, d.size());
        row += count;
    }
}

}  // namespace sigma::data
