// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/archive.hpp>
#include <sigma/storage/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// What an archive may make of a disk.
struct ExtractLimits {
    std::size_t bytes = default_limit;  ///< of all files together
    std::size_t entries = 1'000'000;
};

/// Writes what an archive holds into `directory`, which must not be there or be empty, and returns the list. It appears
/// all or not at all: it is written beside and renamed; what a process left there that was killed, the next extraction
/// into the same place removes. A DataError names the first entry with an absolute name,
/// "..", a link that leads outside or through which another entry goes, a device, or a name that is there already, and
/// then nothing stays; so it is with archives above the limits. What the disk refuses is a StorageError. Owners, times
/// and permissions but the right to execute are not taken over.
std::vector<ArchiveEntry> extract(const Source& source, const std::string& directory, ExtractLimits limits = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/extract.ipp>
#endif
