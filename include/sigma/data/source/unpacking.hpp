// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/entries.hpp>
#include <sigma/data/source/packing.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace sigma::data::detail {

/// A stream without its layers of packing.
struct Unpacked {
    std::unique_ptr<PeekedStream> stream;
    Packing archive = Packing::none;      ///< what stopped it, where archives stay as they are
    bool packed = false;                  ///< is it another stream than the source's?
    std::optional<std::size_t> length{};  ///< of the stream, where a plain file says so

    /// The entries of the archive that it has come to, or of anything that libarchive takes for one.
    std::unique_ptr<ArchiveEntries> entries(const Source& source, std::size_t limit);
};

/// Nobody packs more often; a file that unpacks to itself would go on for ever.
inline constexpr int most_packings = 8;

Unpacked unpack(const Source& source, std::size_t limit, bool into_archives);

std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/unpacking.ipp>
#endif
