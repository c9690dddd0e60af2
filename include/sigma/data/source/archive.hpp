// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/archive_entry.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// What a zip, tar, 7zip or cpio archive holds, packed as a whole or not (tar.gz, tar.xz …), in its order. Throws
/// DataError for what is no archive or is damaged; the contents of entries are not looked at where the format allows.
std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit = default_limit);

/// One file of an archive: entry(file("data.zip"), "train/images.idx"). It streams; more than `limit` bytes, of it or
/// of an archive that must be unpacked into memory first, are refused. Opening throws DataError where there is no such
/// file.
Source entry(const Source& source, const std::string& name, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/archive.ipp>
#endif
