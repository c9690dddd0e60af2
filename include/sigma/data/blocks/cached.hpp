// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// Blocks in a file of a DiskCache. What is found damaged is made anew.
class CachedBlocks final : public Blocks {
public:
    /// `remake` reads everything from where it came and gives a file with the same key.
    CachedBlocks(CacheFile file, std::function<CacheFile()> remake);

    const std::vector<SectionInfo>& sections() const override { return footer_.sections; }
    std::size_t records() const override { return footer_.records; }
    std::size_t block_records() const override { return footer_.block_records; }
    std::string key() const override { return footer_.key; }
    const std::vector<std::string>& classes() const { return footer_.classes; }

    void load(std::size_t number, Block& to) const override;

private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const CacheFile> file_;
    CacheFooter footer_;
    std::function<CacheFile()> remake_;

    std::shared_ptr<const CacheFile> present() const;
};

/// The same blocks, read from a file of the cache, which is made where it is not there: for blocks that are costly to
/// load, those behind costly transforms for instance.
std::shared_ptr<const CachedBlocks> cached(std::shared_ptr<const Blocks> blocks, const std::string& name,
                                           DiskCache disk = DiskCache());

namespace detail {

/// Throws DataError where a block of a reader is not what its sections say.
void check_block(RecordReader& reader, const std::vector<SectionInfo>& sections, const Block& block);
[[noreturn]] void throw_no_records(RecordReader& reader);

}  // namespace detail

/// What a reader gives, in a file of the cache; the reader is asked for nothing but its key where the file is there.
/// `block_records` says how many records a block shall have, `usable` whether a file that is there is usable.
std::shared_ptr<const CachedBlocks> cached(
    std::shared_ptr<RecordReader> reader, const std::string& name, const std::string& options,
    const std::function<std::size_t(const std::vector<SectionInfo>&)>& block_records,
    const std::function<bool(const CacheFooter&)>& usable, DiskCache disk = DiskCache());

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/cached.ipp>
#endif
