// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// The bytes of a source, unpacked as often as they are packed, which their first bytes tell, not their name: gzip (of
/// any number of members), bzip2, xz, zstd, lzip, lz4, compress, and zip, 7zip and tar with one file in them. Whatever
/// else it is comes as it is. Data that is cut, damaged or followed by something else is a DataError, as are more than
/// `limit` bytes of packed data: a small file can unpack to any size. Of compress, which has no end mark, a cut goes
/// unnoticed.
Source unpacked(const Source& source, std::size_t limit = default_limit);

/// The stream of unpacked(source, limit).
std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit = default_limit);

/// What an archive holds under a name.
struct ArchiveEntry {
    enum class Kind { file, directory, symbolic_link, hard_link, other };

    std::string name;
    Kind kind = Kind::file;
    std::optional<std::size_t> size{};  ///< bytes of a file, where the archive says so; not yet checked
    std::string link{};                 ///< what a link points at
    bool executable = false;
};

/// What a zip, tar, 7zip or cpio archive holds, packed as a whole or not (tar.gz, tar.xz …), in its order. Throws
/// DataError for what is no archive or is damaged; the contents of entries are not looked at where the format allows.
std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit = default_limit);

/// One file of an archive: entry(file("data.zip"), "train/images.idx"). It streams; more than `limit` bytes, of it or
/// of an archive that must be unpacked into memory first, are refused. Opening throws DataError where there is no such
/// file.
Source entry(const Source& source, const std::string& name, std::size_t limit = default_limit);

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

namespace sigma::data::detail {

class ArchiveEntries;

/// A stream without its layers of packing.
struct Unpacked {
    std::unique_ptr<PeekedStream> stream;
    Packing archive = Packing::none;      ///< what stopped it, where archives stay as they are
    bool packed = false;                  ///< is it another stream than the source's?
    std::optional<std::size_t> length{};  ///< of the stream, where a plain file says so

    /// The entries of the archive that it has come to, or of anything that libarchive takes for one.
    std::unique_ptr<ArchiveEntries> entries(const Source& source, std::size_t limit);
};

Unpacked unpack(const Source& source, std::size_t limit, bool into_archives);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/unpack.ipp>
#endif
