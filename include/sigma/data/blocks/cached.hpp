// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/data/reader/reader.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// Blocks in a file of a DiskCache. What is found damaged is made anew.
class CachedBlocks final : public Blocks {
public:
    /// `remake` reads everything from where it came and gives a file with the same key.
    CachedBlocks(CacheFile file, std::function<CacheFile()> remake)
        : file_(std::make_shared<const CacheFile>(std::move(file))), footer_(file_->footer()),
          remake_(std::move(remake)) {}

    const std::vector<SectionInfo>& sections() const override { return footer_.sections; }
    std::size_t records() const override { return footer_.records; }
    std::size_t block_records() const override { return footer_.block_records; }
    std::string key() const override { return footer_.key; }
    const std::vector<std::string>& classes() const { return footer_.classes; }

    void load(std::size_t number, Block& to) const override {
        std::shared_ptr<const CacheFile> file = present();
        if (file->read(number, to)) return;
        {
            const std::lock_guard lock(mutex_);
            if (file == file_) {  // else another thread has made it anew
                auto made = std::make_shared<const CacheFile>(remake_());
                if (made->footer() != footer_)
                    throw DataError(footer_.key, "", sentence(footer_.records, " records as before"),
                                    sentence(made->footer().records));
                file_ = std::move(made);
            }
            file = file_;
        }
        if (!file->read(number, to)) throw DataError(footer_.key, "", "a cache file that can be read", "damage");
    }

private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const CacheFile> file_;
    CacheFooter footer_;
    std::function<CacheFile()> remake_;

    std::shared_ptr<const CacheFile> present() const {
        const std::lock_guard lock(mutex_);
        return file_;
    }
};

/// The same blocks, read from a file of the cache, which is made where it is not there: for blocks that are costly to
/// load, those behind costly transforms for instance.
inline std::shared_ptr<const CachedBlocks> cached(std::shared_ptr<const Blocks> blocks, const std::string& name,
                                                  DiskCache disk = DiskCache()) {
    const CacheFooter footer{blocks->key(), blocks->records(), blocks->block_records(), blocks->sections(), {}};
    const auto remake = [blocks, name, disk, footer] {
        Task task(TaskKind::prepare, name, blocks->count(), "blocks");
        return disk.make(name, footer, [&](const auto& add, auto&) {
            Block block;
            for (std::size_t n = 0; n < blocks->count(); ++n) {
                blocks->load(n, block);
                add(block);
                task.advance();
            }
        });
    };
    auto file = CacheFile::open(disk.path(name, footer.key), footer.key);
    return std::make_shared<CachedBlocks>(file ? std::move(*file) : remake(), remake);
}

namespace detail {

/// Throws DataError where a block of a reader is not what its sections say.
inline void check_block(RecordReader& reader, const std::vector<SectionInfo>& sections, const Block& block) {
    for (std::size_t s = 0; s < sections.size(); ++s)
        if (block.values.size() != sections.size() || block.values[s].size() != block.records * sections[s].size())
            throw DataError(
                reader.name(), "", sentence(sections[s].size(), " numbers of '", sections[s].name, "' in each record"),
                sentence(block.values.size() > s ? block.values[s].size() : 0, " in ", block.records, " records"));
}
[[noreturn]] inline void throw_no_records(RecordReader& reader) {
    throw DataError(reader.name(), "", "at least one record", "none");
}

}  // namespace detail

/// What a reader gives, in a file of the cache; the reader is asked for nothing but its key where the file is there.
/// `block_records` says how many records a block shall have, `usable` whether a file that is there is usable.
inline std::shared_ptr<const CachedBlocks> cached(
    std::shared_ptr<RecordReader> reader, const std::string& name, const std::string& options,
    const std::function<std::size_t(const std::vector<SectionInfo>&)>& block_records,
    const std::function<bool(const CacheFooter&)>& usable, DiskCache disk = DiskCache()) {
    const std::string read_key = reader->key(), key = sentence(read_key, options);
    const auto remake = [=] {
        Task task(TaskKind::read, name, reader->size(), "records");
        const std::vector<SectionInfo> sections = reader->sections();
        const std::size_t most = block_records(sections);
        return disk.make(name, {key, 0, most, sections, {}}, [&](const auto& add, std::vector<std::string>& classes) {
            reader->rewind();
            if (reader->key() != read_key)
                throw DataError(reader->name(), "", "what it was when it was read first",
                                "something that has been changed since");
            Block block;
            bool any = false;
            while (const std::size_t count = reader->read(most, block)) {
                detail::check_block(*reader, sections, block);
                any = true;
                add(block);
                task.advance(count);
            }
            if (!any) detail::throw_no_records(*reader);
            classes = reader->classes();
        });
    };
    auto file = CacheFile::open(disk.path(name, key), key);
    if (file && !usable(file->footer())) file.reset();
    return std::make_shared<CachedBlocks>(file ? std::move(*file) : remake(), remake);
}

}  // namespace sigma::data
