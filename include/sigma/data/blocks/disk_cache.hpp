// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `DiskCache`: a directory of files with blocks. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/any_function.hpp>
#include <sigma/data/block.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sigma::data {

class CacheFile;
struct CacheFooter;

/// Stores blocks as files of one directory. The next run need not read and parse the data again.
///
/// A file is used only if its key matches, which depends on the bytes read and on the options. A file that is damaged,
/// of another version or with another key is made again. Files are written as a whole or not at all, and several
/// processes may use one directory. If all files together exceed the limit, the least recently used ones are removed.
/// Writes nothing outside of the directory.
///
/// @par Example
/// @code
/// data::DiskCache().clear();  // removes all caches of data sets
/// @endcode
///
/// @see DatasetOptions, docs/datasets.md
class DiskCache {
public:
    /// Appends a block to the file that is being made.
    using Add = sigma::detail::AnyFunction<void(const Block&)>;
    /// Appends all blocks of a file, and sets the names of classes.
    using Fill = sigma::detail::AnyFunction<void(const Add& add, std::vector<std::string>& classes)>;

    /// Constructs a cache.
    /// @param directory  its directory; empty (the default): cache_directory() + "/blocks"
    /// @param limit      bytes of all files together; 0 (the default): half of the free space and of what the cache has
    /// @throws DataError  if `directory` is empty and the environment has none of SIGMA_CACHE, XDG_CACHE_HOME and HOME
    explicit DiskCache(std::string directory = {}, std::uint64_t limit = 0);

    /// Returns the directory.
    const std::string& directory() const& { return directory_; }
    /// @copydoc directory
    std::string directory() && { return directory_; }
    /// Returns the path of the file for records.
    /// @param name  name of the data
    /// @param key   key of the records
    std::string path(const std::string& name, const std::string& key) const;
    /// Returns the bytes of all files together.
    std::uint64_t bytes() const;
    /// Removes all files of the cache, and remains of writers that have died. Open files stay readable.
    void clear() const;
    /// Makes a file.
    /// @param name    name of the data
    /// @param footer  the description of the blocks
    /// @param fill    appends all blocks
    /// @return the file
    /// @throws StorageError  if the file cannot be written, for example because the disk is full
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
