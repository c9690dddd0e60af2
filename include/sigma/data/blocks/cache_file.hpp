// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files of blocks. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/data/block.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// The description of the blocks in a cache file.
///
/// @see CacheFile
struct CacheFooter {
    std::string key;                    ///< text of everything that the records depend on
    std::uint64_t records = 0;          ///< records in all blocks
    std::uint64_t block_records = 1;    ///< records in each block but the last
    std::vector<SectionInfo> sections;  ///< sections of a record
    std::vector<std::string> classes;   ///< names of classes 0, 1, …

    /// Returns the number of blocks.
    std::uint64_t count() const { return (records + block_records - 1) / block_records; }
    /// Returns the number of records in a block.
    /// @param number  number of the block, from 0
    std::uint64_t records_in(std::uint64_t number) const;
    /// Returns the bytes of a record.
    std::uint64_t record_bytes() const;
    /// Compares all members.
    friend bool operator==(const CacheFooter&, const CacheFooter&) = default;
};

namespace detail {

std::string write_footer(const CacheFooter& footer);

/// Parses a footer. Returns nothing if the bytes are no footer, or describe more bytes than `limit` in one block or
/// all.
std::optional<CacheFooter> read_footer(const std::string& bytes, std::uint64_t limit);

}  // namespace detail

// A file of blocks, little-endian:
//
//     "SIGMABLK", version (8 bytes)
//     each block: the numbers of each section, one section after the other, as floats or doubles;
//         checksum (8 bytes)
//     footer: key, records, records in a block, sections, classes (cache_footer.hpp)
//     length of the footer, its checksum (8 bytes each), "KLBAMGIS"
//
// The checksum of a block depends on the key and the block's number, so that no block passes for another.

namespace detail {

static_assert(std::endian::native == std::endian::little);
inline constexpr std::array<char, 8> cache_begin{'S', 'I', 'G', 'M', 'A', 'B', 'L', 'K'},
    cache_end{'K', 'L', 'B', 'A', 'M', 'G', 'I', 'S'};
inline constexpr std::uint64_t cache_version = 2, cache_head = 16, cache_tail = 24,
                               longest_footer = std::uint64_t{1} << 26;

}  // namespace detail

/// Writes a file of blocks. `finish` replaces an existing file. If it throws StorageError, also because the file would
/// exceed the limit, nothing of it stays.
///
/// @see CacheFile
class CacheWriter {
public:
    /// Constructs a writer.
    /// @param path    path of the file
    /// @param footer  the description of the blocks
    /// @param limit   largest size of the file, in bytes
    CacheWriter(std::string path, CacheFooter footer, std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());
    /// Appends a block. All blocks but the last must have `footer.block_records` records.
    /// @param block  the block
    void add(const Block& block);
    /// Returns the number of records so far.
    std::uint64_t records() const { return footer_.records; }
    /// Completes the file.
    /// @param classes  names of classes 0, 1, …
    void finish(std::vector<std::string> classes);

private:
    CacheFooter footer_;
    std::uint64_t limit_, written_ = 0, number_ = 0;
    AtomicFile file_;

    template <class Range>
    void write(const Range& values) {
        const auto bytes = std::as_bytes(std::span(values));
        if (bytes.size() > limit_ - written_)
            throw StorageError(file_.path(), sentence("at most ", limit_, " bytes of cache"), "more");
        written_ += bytes.size();
        file_.write(bytes);
    }
};

/// A file of blocks. Stays readable if its name is removed or replaced. Several threads may read it.
///
/// @see DiskCache
class CacheFile {
public:
    /// Opens a file. Checks everything that can be checked without reading the blocks.
    /// @param path  path of the file
    /// @param key   the key that it must have
    /// @return the file, or nothing if it is missing, damaged, of another version or has another key
    static std::optional<CacheFile> open(const std::string& path, const std::string& key);

    /// Returns the description of the blocks.
    const CacheFooter& footer() const { return footer_; }
    /// Reads a block.
    /// @param number  number of the block, from 0
    /// @param to      receives the records
    /// @return false if the block is damaged
    bool read(std::uint64_t number, Block& to) const;

private:
    storage::Descriptor file_;
    CacheFooter footer_;

    template <class Range>
    bool read(std::uint64_t at, Range& to) const {
        const auto bytes = std::as_writable_bytes(std::span(to));
        return storage::read_at(file_.number(), at, bytes).first == bytes.size();
    }
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/cache_file.ipp>
#endif
