// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/cache_footer.hpp>
#include <sigma/storage/atomic_file.hpp>
#include <sigma/storage/checksum.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <sys/stat.h>

// A file of blocks, little-endian:
//
//     "SIGMABLK", version (8 bytes)
//     each block: the numbers of each section, one section after the other, as floats; checksum (8 bytes)
//     footer: key, records, records in a block, sections, classes (cache_footer.hpp)
//     length of the footer, its checksum (8 bytes each), "KLBAMGIS"
//
// The checksum of a block depends on the key and the block's number, so that no block passes for another.
namespace sigma::data {

namespace detail {

static_assert(std::endian::native == std::endian::little);
inline constexpr std::array<char, 8> cache_begin{'S', 'I', 'G', 'M', 'A', 'B', 'L', 'K'},
    cache_end{'K', 'L', 'B', 'A', 'M', 'G', 'I', 'S'};
inline constexpr std::uint64_t cache_version = 1, cache_head = 16, cache_tail = 24,
                               longest_footer = std::uint64_t{1} << 26;

inline std::uint64_t block_checksum(const std::string& key, std::uint64_t number, const Block& block) {
    std::uint64_t all = storage::checksum(key, number);
    for (const auto& values : block.values) all = storage::checksum(std::as_bytes(std::span(values)), all);
    return all;
}

}  // namespace detail

/// Writes a file of blocks, which replaces what was there when finish() returns. Throws StorageError, also where it
/// would become longer than `limit`; then nothing of it stays.
class CacheWriter {
public:
    CacheWriter(std::string path, CacheFooter footer, std::uint64_t limit = std::numeric_limits<std::uint64_t>::max())
        : footer_(std::move(footer)), limit_(limit), file_(std::move(path)) {
        footer_.records = 0;
        write(detail::cache_begin);
        write(std::array{detail::cache_version});
    }
    /// All blocks but the last have as many records as the footer says.
    void add(const Block& block) {
        for (const auto& values : block.values) write(values);
        write(std::array{detail::block_checksum(footer_.key, number_++, block)});
        footer_.records += block.records;
    }
    std::uint64_t records() const { return footer_.records; }
    void finish(std::vector<std::string> classes) {
        footer_.classes = std::move(classes);
        footer_.block_records = std::min(footer_.block_records, footer_.records);
        const std::string footer = detail::write_footer(footer_);
        write(footer);
        write(std::array<std::uint64_t, 2>{footer.size(), storage::checksum(footer)});
        write(detail::cache_end);
        file_.commit();
    }

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
    static std::optional<CacheFile> open(const std::string& path, const std::string& key) {
        CacheFile file;
        file.file_ = storage::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        struct ::stat found {};
        if (!file.file_ || ::fstat(file.file_.number(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
        const auto size = static_cast<std::uint64_t>(found.st_size);
        std::array<char, 8> begin{}, end{};
        std::array<std::uint64_t, 1> version{};
        std::array<std::uint64_t, 2> footer{};
        if (size < detail::cache_head + detail::cache_tail || !file.read(0, begin) || !file.read(8, version) ||
            !file.read(size - 24, footer) || !file.read(size - 8, end))
            return {};
        const std::uint64_t room = size - detail::cache_head - detail::cache_tail;
        if (begin != detail::cache_begin || end != detail::cache_end || version[0] != detail::cache_version ||
            footer[0] > std::min(room, detail::longest_footer))
            return {};
        std::string text(footer[0], '\0');
        if (!file.read(size - detail::cache_tail - footer[0], text) || storage::checksum(text) != footer[1]) return {};
        auto content = detail::read_footer(text, room - footer[0]);
        if (!content || content->key != key) return {};
        if (content->records * content->record_bytes() + 8 * content->count() != room - footer[0]) return {};
        file.footer_ = std::move(*content);
        ::futimens(file.file_.number(), nullptr);  // the oldest files are removed first
        return file;
    }

    const CacheFooter& footer() const { return footer_; }
    /// Reads a block; false where it is damaged.
    bool read(std::uint64_t number, Block& to) const {
        const std::uint64_t records = footer_.records_in(number);
        std::uint64_t at = detail::cache_head + number * (footer_.block_records * footer_.record_bytes() + 8);
        to.records = records;
        to.values.resize(footer_.sections.size());
        for (std::size_t s = 0; s < to.values.size(); ++s) {
            to.values[s].resize(records * footer_.sections[s].size());
            if (!read(at, to.values[s])) return false;
            at += to.values[s].size() * sizeof(float);
        }
        std::array<std::uint64_t, 1> expected{};
        return read(at, expected) && expected[0] == detail::block_checksum(footer_.key, number, to);
    }

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
