// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Blocks in a cache on disk: `cached`. Include it yourself.

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/data/reader/reader.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sigma::data {

/// Blocks in a file of a DiskCache. A damaged file is made again.
///
/// @see cached
class CachedBlocks final : public Blocks {
public:
    /// Constructs from a file.
    /// @param file    the file
    /// @param remake  reads everything from its source, and returns a file with the same key
    CachedBlocks(CacheFile file, std::function<CacheFile()> remake);

    /// @cond internal
    const std::vector<SectionInfo>& sections() const override { return footer_.sections; }
    std::size_t records() const override { return footer_.records; }
    std::size_t block_records() const override { return footer_.block_records; }
    std::string key() const override { return footer_.key; }
    /// @endcond

    /// Returns the names of classes 0, 1, ….
    const std::vector<std::string>& classes() const { return footer_.classes; }

    /// Reads a block.
    /// @param number  number of the block, from 0
    /// @param to      receives the records
    /// @throws DataError  if the cache file is damaged and cannot be made again with the same records
    SIGMA_IMPL void load(std::size_t number, Block& to) const override;

private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const CacheFile> file_;
    CacheFooter footer_;
    std::function<CacheFile()> remake_;

    std::shared_ptr<const CacheFile> present() const;
};

/// Returns the same blocks from a file of the cache, for blocks that are slow to load, such as those after slow
/// transforms. Makes the file if it is missing.
///
/// @param blocks  the blocks
/// @param name    name of the data
/// @param disk    the cache; default: cache_directory() + "/blocks"
/// @return blocks that read the file
/// @throws StorageError  if the file of the cache cannot be written
/// @throws Error         if a block cannot be loaded
///
/// @see DiskCache, docs/datasets.md
std::shared_ptr<const CachedBlocks> cached(std::shared_ptr<const Blocks> blocks, const std::string& name,
                                           DiskCache disk = DiskCache());

namespace detail {

/// Throws DataError if a block of a reader does not match its sections.
void check_block(RecordReader& reader, const std::vector<SectionInfo>& sections, const Block& block);
[[noreturn]] void throw_no_records(RecordReader& reader);

}  // namespace detail

/// Returns the records of a reader from a file of the cache. Calls only the reader's `key` if the file exists.
///
/// @param reader         the reader
/// @param name           name of the data
/// @param options        text that becomes a part of the key
/// @param block_records  returns the number of records in a block
/// @param usable         returns whether an existing file is usable
/// @param disk           the cache; default: cache_directory() + "/blocks"
/// @return blocks that read the file
/// @throws DataError     if the reader cannot be read, has no records, or gives blocks that do not match its sections;
///                       or if its data change before the file is made again
/// @throws StorageError  if the file of the cache cannot be written
std::shared_ptr<const CachedBlocks> cached(
    std::shared_ptr<RecordReader> reader, const std::string& name, const std::string& options,
    const std::function<std::size_t(const std::vector<SectionInfo>&)>& block_records,
    const std::function<bool(const CacheFooter&)>& usable, DiskCache disk = DiskCache());

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/cached.ipp>
#endif
