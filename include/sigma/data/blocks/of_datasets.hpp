// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/dataset.hpp>

#include <string>
#include <vector>

namespace sigma::data {

/// The records of datasets with the same sections, one dataset after the other, in blocks.
class DatasetBlocks final : public Blocks {
public:
    DatasetBlocks(std::vector<Dataset> datasets, std::size_t block_records);

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override;
    void load(std::size_t number, Block& to) const override;

private:
    std::vector<Dataset> datasets_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/of_datasets.ipp>
#endif
