// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/filter.hpp>

namespace sigma::data::detail {

SIGMA_IMPL FilterStream::FilterStream(std::unique_ptr<ByteStream> packed, std::string name, Packing packing,
                                      std::string_view where)
    : archive_(sentence(name)), kind_(name_of(packing)), expected_(sentence("valid ", kind_, " data", where)) {
    const int filter = packing == Packing::bzip2  ? ARCHIVE_FILTER_BZIP2
                       : packing == Packing::xz   ? ARCHIVE_FILTER_XZ
                       : packing == Packing::zstd ? ARCHIVE_FILTER_ZSTD
                       : packing == Packing::lzip ? ARCHIVE_FILTER_LZIP
                                                  : ARCHIVE_FILTER_LZ4;
    // This filter reads already when it is appended, where there is nothing to read from yet (libarchive's issue
    // 2514).
    archive_.check(packing == Packing::compress ? archive_read_support_filter_compress(archive_.get())
                                                : archive_read_append_filter(archive_.get(), filter),
                   expected_);
    archive_.check(archive_read_support_format_raw(archive_.get()), expected_);
    // libarchive's words hide those of the filter here. Nothing at all looks like damage from the first block on.
    archive_.open(std::move(packed), expected_, "damage, or nothing packed");
    ::archive_entry* entry = nullptr;
    archive_.check(archive_read_next_header(archive_.get(), &entry), expected_);
}

SIGMA_IMPL std::size_t FilterStream::read(std::span<std::byte> to) {
    if (to.empty()) return 0;
    const std::size_t count = archive_.read(to, expected_);
    if (count == 0) archive_.require_end(kind_);
    return count;
}

}  // namespace sigma::data::detail
