// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/reader_blocks.hpp>

#include <algorithm>
#include <utility>

namespace sigma::data {

SIGMA_IMPL ReaderBlocks::ReaderBlocks(std::shared_ptr<RecordReader> reader, std::size_t block_records)
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

SIGMA_IMPL void ReaderBlocks::load(std::size_t number, Block& to) const {
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

SIGMA_IMPL void ReaderBlocks::rewind() const {
    if (reader_->key() != key_)
        throw DataError(reader_->name(), "", "what it was when it was read first",
                        "something that has been changed since");
    reader_->rewind();
    next_ = 0;
}

SIGMA_IMPL void ReaderBlocks::read(std::size_t number, Block& to) const {
    const std::size_t first = number * block_records_;
    const std::size_t wanted = std::min(block_records_, records_ - first);
    const std::size_t found = reader_->read(wanted, to);
    if (found != wanted) throw DataError(reader_->name(), "", sentence(records_, " records"), sentence(first + found));
}

}  // namespace sigma::data
