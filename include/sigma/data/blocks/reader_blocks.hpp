// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/reader/reader.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace sigma::data {

/// The blocks of a reader, which can only go forward: a block that lies behind is found by starting again. Those who
/// want blocks in random order put a DiskCache between.
class ReaderBlocks final : public Blocks {
public:
    /// Reads everything once where the reader does not know how many records there are. Throws DataError.
    ReaderBlocks(std::shared_ptr<RecordReader> reader, std::size_t block_records)
        : reader_(std::move(reader)), sections_(reader_->sections()),
          block_records_(std::max<std::size_t>(block_records, 1)), key_(reader_->key()) {
        if (const auto known = reader_->size()) {
            records_ = *known;
            rewind();
            return;
        }
        rewind();
        while (const std::size_t count = reader_->read(block_records_, skipped_)) records_ += count;
        rewind();
    }

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override { return sentence(key_, "; blocks of ", block_records_); }

    void load(std::size_t number, Block& to) const override {
        const std::lock_guard lock(mutex_);
        try {
            if (number < next_) rewind();
            for (; next_ < number; ++next_) read(next_, skipped_);
            read(next_, to);
            ++next_;
        } catch (...) {
            next_ = broken;  // wherever the reader is now
            throw;
        }
    }

private:
    static constexpr std::size_t broken = static_cast<std::size_t>(-1);

    std::shared_ptr<RecordReader> reader_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
    std::string key_;
    mutable std::mutex mutex_;
    mutable std::size_t next_ = 0;  ///< the block that the reader gives next
    mutable Block skipped_;

    void rewind() const {
        if (reader_->key() != key_)
            throw DataError(reader_->name(), "", "what it was when it was read first",
                            "something that has been changed since");
        reader_->rewind();
        next_ = 0;
    }
    void read(std::size_t number, Block& to) const {
        const std::size_t first = number * block_records_;
        const std::size_t wanted = std::min(block_records_, records_ - first);
        const std::size_t found = reader_->read(wanted, to);
        if (found != wanted)
            throw DataError(reader_->name(), "", sentence(records_, " records"), sentence(first + found));
    }
};

}  // namespace sigma::data
