// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/reader/reader.hpp>

#include <memory>

namespace sigma::data {

/// Several readers side by side: record r has the sections of record r of each.
class ZippedReader final : public RecordReader {
public:
    explicit ZippedReader(std::vector<std::shared_ptr<RecordReader>> readers);

    std::string name() const override;
    const std::vector<SectionInfo>& sections() override;
    /// Throws DataError where the readers know that they differ.
    std::optional<std::size_t> size() override;
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override;
    std::string key() const override;
    std::vector<std::string> classes() const override;

private:
    std::vector<std::shared_ptr<RecordReader>> readers_;
    std::vector<Block> blocks_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/zipped.ipp>
#endif
