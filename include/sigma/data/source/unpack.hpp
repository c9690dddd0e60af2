// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Compressed files and archives: `unpacked`, `entry`, `entries`, `extract`. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// Makes a source of the decompressed bytes of another source.
///
/// Recognizes the format by the first bytes, not by the name: gzip (of any number of members), bzip2, xz, zstd, lzip,
/// lz4, compress, and zip, 7zip and tar with one file in them. Decompresses as often as the data is compressed. Bytes
/// in no such format stay unchanged.
///
/// Reading throws DataError if compressed data is cut off, damaged or followed by other bytes, or has more than `limit`
/// bytes: a small file can expand to any size. The format of compress has no end mark, so a cut is not noticed.
///
/// @param source  the source
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return a source
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto housing = csv(unpacked(file("housing.csv.gz")), {.header = true});
/// @endcode
///
/// @see entry, docs/sources.md
Source unpacked(const Source& source, std::size_t limit = default_limit);

/// Opens the decompressed bytes of a source: `unpacked(source, limit).open()`.
///
/// @param source  the source
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return the stream
/// @throws DataError  if the source cannot be opened
///
/// @see unpacked
std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit = default_limit);

/// An entry of an archive.
///
/// @see entries, extract
struct ArchiveEntry {
    /// The kind of an entry.
    enum class Kind {
        file,           ///< an ordinary file
        directory,      ///< a directory
        symbolic_link,  ///< a symbolic link
        hard_link,      ///< a hard link to a file of the archive
        other           ///< a device or a pipe
    };

    std::string name;                   ///< path in the archive
    Kind kind = Kind::file;             ///< kind of the entry
    std::optional<std::size_t> size{};  ///< bytes of a file, if the archive states them; not verified
    std::string link{};                 ///< target of a link
    bool executable = false;            ///< permission of the owner to execute
};

/// Lists the entries of a zip, tar, 7zip or cpio archive, which may be compressed as a whole (tar.gz, tar.xz …).
///
/// @param source  the archive
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return the entries, in the order of the archive. Their contents are not read if the format allows it
/// @throws DataError  if the source is no archive or is damaged
///
/// @par Example
/// @code
/// std::vector<std::string> names;
/// for (const data::ArchiveEntry& entry : data::entries(data::file("data.zip"))) names.push_back(entry.name);
/// @endcode
///
/// @see entry, extract, docs/sources.md
std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit = default_limit);

/// Makes a source of one file of an archive.
///
/// Opening throws DataError if the archive has no such file. Reading throws DataError for more than `limit` bytes of
/// the file, or of an archive that must be decompressed into memory first.
///
/// @param source  the archive
/// @param name    path of the file in the archive
/// @param limit   largest number of bytes, default 4 GiB
/// @return a source, which is read as a stream
///
/// @par Example
/// @code
/// const auto pixels = data::idx<28, 28>(data::entry(data::file("data.zip"), "train/images.idx"));
/// @endcode
///
/// @see entries, docs/sources.md
Source entry(const Source& source, const std::string& name, std::size_t limit = default_limit);

/// Limits of `extract`.
///
/// @see extract
struct ExtractLimits {
    std::size_t bytes = default_limit;  ///< Largest number of bytes of all files together, default 4 GiB.
    std::size_t entries = 1'000'000;    ///< Largest number of entries.
};

/// Extracts an archive into a new directory, completely or not at all.
///
/// Writes the files next to the directory, then renames them. Removes what an interrupted extraction into the same
/// place has left. Of permissions, keeps only the one to execute; does not keep owners and times.
///
/// @param source     the archive
/// @param directory  the directory, which must not exist or be empty
/// @param limits     largest numbers of bytes and entries
/// @return the entries
/// @throws DataError      if an entry has an absolute name or "..", is a device, occurs twice, or is or follows a link
///                        that leads outside; or if a limit is exceeded
/// @throws StorageError   if the directory is not empty or cannot be written
/// @throws ArgumentError  if `directory` names no directory, such as "/"
///
/// @par Example
/// @code
/// const auto files = data::extract(data::file("photos.tar.gz"), "photos");
/// @endcode
///
/// @see entries, entry, docs/sources.md
std::vector<ArchiveEntry> extract(const Source& source, const std::string& directory, ExtractLimits limits = {});

}  // namespace sigma::data

namespace sigma::data::detail {

class ArchiveEntries;

/// A stream after decompression.
struct Unpacked {
    std::unique_ptr<PeekedStream> stream;
    Packing archive = Packing::none;      ///< the kind of archive, if archives stay as they are
    bool packed = false;                  ///< true: another stream than that of the source
    std::optional<std::size_t> length{};  ///< length of the stream, if a plain file states it

    /// Returns the entries of the archive, or of anything that libarchive recognizes as an archive.
    std::unique_ptr<ArchiveEntries> entries(const Source& source, std::size_t limit);
};

Unpacked unpack(const Source& source, std::size_t limit, bool into_archives);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/unpack.ipp>
#endif
