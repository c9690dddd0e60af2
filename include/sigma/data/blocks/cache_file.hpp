// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// What a cache file says about its blocks.
struct CacheFooter {
    std::string key;
    std::uint64_t records = 0, block_records = 1;
    std::vector<SectionInfo> sections;
    std::vector<std::string> classes;

    std::uint64_t count() const { return (records + block_records - 1) / block_records; }
    std::uint64_t records_in(std::uint64_t number) const;
    std::uint64_t record_bytes() const;
    friend bool operator==(const CacheFooter&, const CacheFooter&) = default;
};

namespace detail {

std::string write_footer(const CacheFooter& footer);

/// Nothing where the bytes are no footer, or speak of more bytes than `limit` in one block or all.
std::optional<CacheFooter> read_footer(const std::string& bytes, std::uint64_t limit);

}  // namespace detail
}  // namespace sigma::data

// A file of blocks, little-endian:
//
//     "SIGMABLK", version (8 bytes)
//     each block: the numbers of each section, one section after the other, as floats or doubles;
//         checksum (8 bytes)
//     footer: key, records, records in a block, sections, classes (cache_footer.hpp)
//     length of the footer, its checksum (8 bytes each), "KLBAMGIS"
//
// The checksum of a block depends on the key and the block's number, so that no block passes for another.
namespace sigma::data {

namespace detail {

static_assert(std::endian::native == std::endian::little);
inline constexpr std::array<char, 8> cache_begin{'S', 'I', 'G', 'M', 'A', 'B', 'L', 'K'},
    cache_end{'K', 'L', 'B', 'A', 'M', 'G', 'I', 'S'};
inline constexpr std::uint64_t cache_version = 2, cache_head = 16, cache_tail = 24,
                               longest_footer = std::uint64_t{1} << 26;

}  // namespace detail

/// Writes a file of blocks, which replaces what was there when finish() returns. Throws StorageError, also where it
/// would become longer than `limit`; then nothing of it stays.
class CacheWriter {
public:
    CacheWriter(std::string path, CacheFooter footer, std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());
    /// All blocks but the last have as many records as the footer says.
    void add(const Block& block);
    std::uint64_t records() const { return footer_.records; }
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

/// A file of blocks. Stays readable when its name is removed or replaced. Safe between threads.
class CacheFile {
public:
    /// Nothing where there is no such file, or one that is damaged, of another version or with another key. What can be
    /// seen without reading the blocks is checked.
    static std::optional<CacheFile> open(const std::string& path, const std::string& key);

    const CacheFooter& footer() const { return footer_; }
    /// Reads a block; false where it is damaged.
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
