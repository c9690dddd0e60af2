// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/reader/reader.hpp>

#include <memory>
#include <mutex>

namespace sigma::data {

/// The blocks of a reader, which can only go forward: a block that lies behind is found by starting again. Those who
/// want blocks in random order put a DiskCache between.
class ReaderBlocks final : public Blocks {
public:
    /// Reads everything once where the reader does not know how many records there are. Throws DataError.
    ReaderBlocks(std::shared_ptr<RecordReader> reader, std::size_t block_records);

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override { return sentence(key_, "; blocks of ", block_records_); }

    void load(std::size_t number, Block& to) const override;

private:
    static constexpr std::size_t broken = static_cast<std::size_t>(-1);

    std::shared_ptr<RecordReader> reader_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
    std::string key_;
    mutable std::mutex mutex_;
    mutable std::size_t next_ = 0;  ///< the block that the reader gives next
    mutable Block skipped_;

    void rewind() const;
    void read(std::size_t number, Block& to) const;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/reader_blocks.ipp>
#endif
