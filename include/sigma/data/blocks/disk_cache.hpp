// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/storage/cache_directory.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sys/statvfs.h>

namespace sigma::data {

namespace detail {

/// Makes a directory and those above it.
void make_directories(const std::string& path);

struct CachedFile {
    std::string path;
    std::uint64_t bytes = 0;
    ::timespec used{};
};

/// The files in a directory that end like this; none where there is no directory.
std::vector<CachedFile> cached_files(const std::string& directory, std::string_view ending);

}  // namespace detail

/// Blocks in files of one directory, so that what was read and parsed once is there in the next pass and in the next
/// run. A file is only used where its key, which depends on the bytes read and on how, is the same; one that is
/// damaged, is of another version or has another key is made anew. Files are written whole or not at all; several
/// processes may use the same directory. When they take more than `limit` bytes together, those that were not used for
/// the longest time are removed. Nothing is written outside of the directory.
class DiskCache {
public:
    using Fill = std::function<void(const std::function<void(const Block&)>& add, std::vector<std::string>& classes)>;

    /// `directory` is cache_directory() + "/blocks" where it is empty; a `limit` of 0 is half of what is free on the
    /// disk and what the cache has already.
    explicit DiskCache(std::string directory = {}, std::uint64_t limit = 0);

    const std::string& directory() const { return directory_; }
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
