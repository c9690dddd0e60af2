// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/dataset.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The records of datasets with the same sections, one dataset after the other, in blocks.
class DatasetBlocks final : public Blocks {
public:
    DatasetBlocks(std::vector<Dataset> datasets, std::size_t block_records)
        : datasets_(std::move(datasets)), sections_(datasets_.at(0).sections()),
          block_records_(std::max<std::size_t>(block_records, 1)) {
        for (const Dataset& d : datasets_) records_ += d.size();
    }

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override {
        std::string all = "concatenate(";
        for (const Dataset& d : datasets_) all += d.key() + ";";
        return sentence(all, "); blocks of ", block_records_);
    }
    void load(std::size_t number, Block& to) const override {
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

private:
    std::vector<Dataset> datasets_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
};

}  // namespace sigma::data
