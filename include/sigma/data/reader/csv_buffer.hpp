// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/source/packing.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace sigma::data::detail {

/// The part of a text at hand: what is not yet used, and as much behind it as there is room for. Its last line always
/// ends.
class CsvBuffer {
public:
    static constexpr std::size_t padding = 64, front = 8;

    /// Asks for `piece` bytes at once; more where a record is longer.
    CsvBuffer(std::unique_ptr<ByteStream> stream, std::string file, std::size_t piece);

    /// `front` bytes before may be read.
    const char* data() const { return memory_ ? memory_.get() + front : nullptr; }
    /// `padding` bytes behind are 0.
    std::size_t size() const { return size_; }

    /// What a first line `sep=;`, of Excel's, has named as the separator; '\0' where there is none. The line is
    /// dropped.
    char separator() const { return separator_; }

    /// Drops the first bytes and reads on, with more room where they are kept all. False at the end.
    bool advance(std::size_t used);

private:
    std::unique_ptr<ByteStream> stream_;
    std::string file_;
    std::unique_ptr<char[]> memory_;
    std::size_t piece_, size_ = 0, capacity_ = 0;
    bool begun_ = false, ended_ = false;
    char separator_ = '\0';

    char* text() { return memory_.get() + front; }

    /// Removes the byte-order mark and the line with the separator; how long they were.
    std::size_t begin();
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_buffer.ipp>
#endif
