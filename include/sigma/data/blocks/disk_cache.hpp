// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/block.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sigma::data {

class CacheFile;
struct CacheFooter;

/// Blocks in files of one directory, so that what was read and parsed once is there in the next pass and in the next
/// run. A file is only used where its key, which depends on the bytes read and on how, is the same; one that is
/// damaged, is of another version or has another key is made anew. Files are written whole or not at all; several
/// processes may use the same directory. When they take more than `limit` bytes together, those that were not used for
/// the longest time are removed. Nothing is written outside of the directory.
class DiskCache {
public:
    using Add = sigma::detail::AnyFunction<void(const Block&)>;
    using Fill = sigma::detail::AnyFunction<void(const Add& add, std::vector<std::string>& classes)>;

    /// `directory` is cache_directory() + "/blocks" where it is empty; a `limit` of 0 is half of what is free on the
    /// disk and what the cache has already.
    explicit DiskCache(std::string directory = {}, std::uint64_t limit = 0);

    const std::string& directory() const& { return directory_; }
    std::string directory() && { return directory_; }
    /// The file for records of this name and key.
    std::string path(const std::string& name, const std::string& key) const;
    std::uint64_t bytes() const;
    /// Removes all caches in the directory, and what is left of those whose writers have died. Who has one open can go
    /// on to read it.
    void clear() const;
    /// Makes the file anew. Throws StorageError where it cannot be written, for instance because the disk is full.
    CacheFile make(const std::string& name, const CacheFooter& footer, const Fill& fill) const;

private:
    std::string directory_;
    std::uint64_t limit_;

    std::uint64_t room() const;
    void make_room(const std::string& keep, std::uint64_t limit) const;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/disk_cache.ipp>
#endif
