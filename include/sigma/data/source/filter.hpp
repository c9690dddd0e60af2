// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/libarchive.hpp>

namespace sigma::data::detail {

/// What bzip2, xz, zstd, lzip, lz4 or compress data unpacks to.
class FilterStream final : public ByteStream {
public:
    FilterStream(std::unique_ptr<ByteStream> packed, std::string name, Packing packing, std::string_view where);
    std::size_t read(std::span<std::byte> to) override;

private:
    ArchiveHandle archive_;
    std::string_view kind_;
    std::string expected_;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/filter.ipp>
#endif
