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
    if (!begun_) stream_ = as_utf8(plain_text(std::move(stream_), file_), file_);
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
    std::string_view rest(data(), size_);
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    if (line.size() == 5 && line.starts_with("sep=") && rest.size() > 5) {
        separator_ = line[4];
        rest.remove_prefix(rest.substr(5).starts_with("\r\n") ? 7 : 6);
    }
    const std::size_t used = size_ - rest.size();
    if (used > 0) std::memmove(text(), rest.data(), rest.size());
    return used;
}

}  // namespace sigma::data::detail
