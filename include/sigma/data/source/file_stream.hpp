// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/source.hpp>
#include <sigma/storage/file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma::data {

/// The bytes of an open file from its present position on; `name` is what errors call it.
class FileStream final : public ByteStream {
public:
    FileStream(storage::Descriptor file, std::string name);

    std::size_t read(std::span<std::byte> to) override;

private:
    storage::Descriptor file_;
    std::string name_;
    std::uint64_t at_ = 0;
};

/// A text that is another one when the file at `path` is: its path without links, its length, when it was last changed,
/// to the nanosecond, and which file of the disk it is. `name` is what errors call it. Throws DataError.
std::string file_key(const std::string& path, const std::string& name);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/file_stream.ipp>
#endif
