// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_buffer.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL CsvBuffer::CsvBuffer(std::unique_ptr<ByteStream> stream, std::string file, std::size_t piece)
    : stream_(std::move(stream)), file_(std::move(file)), piece_(std::max(piece, std::size_t{8})) {}

SIGMA_IMPL bool CsvBuffer::advance(std::size_t used) {
    if (ended_) return false;
    if (!begun_) stream_ = plain_text(std::move(stream_), file_);
    const std::size_t kept = size_ - used;
    if (kept == capacity_) {
        const std::size_t larger = std::max(2 * capacity_, piece_);
        std::unique_ptr<char[]> memory(new char[front + larger + 1 + padding]);
        std::memset(memory.get(), 0, front);
        if (kept > 0) std::memcpy(memory.get() + front, data() + used, kept);
        memory_ = std::move(memory);
        capacity_ = larger;
    } else {
        std::memmove(text(), data() + used, kept);
    }
    size_ = kept;
    while (size_ < capacity_ && !ended_) {
        const std::size_t count = stream_->read(std::as_writable_bytes(std::span(text() + size_, capacity_ - size_)));
        ended_ = count == 0;
        size_ += count;
    }
    if (!begun_) size_ -= begin();
    begun_ = true;
    const bool any = size_ > 0;
    if (ended_ && any) text()[size_++] = '\n';
    std::memset(text() + size_, 0, padding);
    return any;
}

SIGMA_IMPL std::size_t CsvBuffer::begin() {
    const std::string_view all(data(), size_);
    for (const std::string_view mark : {"\xFF\xFE", "\xFE\xFF"})
        if (all.starts_with(mark)) throw DataError(file_, "byte 0", "text in UTF-8", "UTF-16");
    if (!all.starts_with("\xEF\xBB\xBF")) return 0;
    std::memmove(text(), data() + 3, size_ - 3);
    return 3;
}

}  // namespace sigma::data::detail
