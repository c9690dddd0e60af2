// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/filter.hpp>
#include <sigma/data/source/gunzip.hpp>
#include <sigma/data/source/unpacking.hpp>
#include <sigma/storage/file.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL std::unique_ptr<ArchiveEntries> Unpacked::entries(const Source& source, std::size_t limit) {
    if (lists_nothing(stream->front())) return ArchiveEntries::empty_zip(*stream, source.name());
    if (!must_seek(archive)) return std::make_unique<ArchiveEntries>(std::move(stream), source.name());
    if (const auto path = source.path(); path && !packed)
        return std::make_unique<ArchiveEntries>(*path, archive, source.name());
    std::vector<std::byte> bytes;
    for (std::size_t block = std::size_t{1} << 16;; block = std::min(2 * block, std::size_t{1} << 24)) {
        const std::size_t size = bytes.size();
        bytes.resize(size + block);
        const std::size_t count = read_fully(*stream, std::span(bytes).subspan(size));
        bytes.resize(size + count);
        if (bytes.size() > limit)
            throw DataError(source.name(), sentence("byte ", limit),
                            sentence("an archive of at most ", limit, " bytes"), "more");
        if (count < block) return std::make_unique<ArchiveEntries>(std::move(bytes), archive, source.name());
    }
}

SIGMA_IMPL Unpacked unpack(const Source& source, std::size_t limit, bool into_archives) {
    Unpacked now{std::make_unique<PeekedStream>(source.open())};
    for (int depth = 0; depth <= most_packings; ++depth) {
        const Packing packing = packing_of(now.stream->front());
        if (packing == Packing::none || (is_archive(packing) && !into_archives)) {
            now.archive = packing;
            storage::FileState found;
            if (const auto path = source.path(); path && !now.packed && storage::look_at(*path, found) && found.is_file)
                now.length = static_cast<std::size_t>(found.size);
            return now;
        }
        const std::string_view where = depth == 0 ? "" : " of what it unpacks to";
        std::unique_ptr<ByteStream> next;
        if (is_archive(packing)) {
            now.archive = packing;
            next = std::make_unique<OnlyFileStream>(now.entries(source, limit), source.name());
        } else if (packing == Packing::gzip) {
            next = std::make_unique<GunzipStream>(std::move(now.stream), source.name(), where);
        } else {
            next = std::make_unique<FilterStream>(std::move(now.stream), source.name(), packing, where);
        }
        next = std::make_unique<LimitedStream>(std::move(next), source.name(), limit);
        now = {std::make_unique<PeekedStream>(std::move(next)), Packing::none, true};
    }
    throw DataError(source.name(), "byte 0", sentence("data packed at most ", most_packings, " times"), "more");
}

SIGMA_IMPL std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit) {
    return unpack(source, limit, false).entries(source, limit);
}

}  // namespace sigma::data::detail
