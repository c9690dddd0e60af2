// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/cached.hpp>

#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL void check_block(RecordReader& reader, const std::vector<SectionInfo>& sections, const Block& block) {
    for (std::size_t s = 0; s < sections.size(); ++s)
        if (block.values.size() != sections.size() || block.values[s].size() != block.records * sections[s].size())
            throw DataError(
                reader.name(), "", sentence(sections[s].size(), " numbers of '", sections[s].name, "' in each record"),
                sentence(block.values.size() > s ? block.values[s].size() : 0, " in ", block.records, " records"));
        else if (block.values[s].of_double() != sections[s].doubles)
            throw DataError(reader.name(), "",
                            sentence(sections[s].doubles ? "doubles" : "floats", " in '", sections[s].name, "'"),
                            sections[s].doubles ? "floats" : "doubles");
}

SIGMA_IMPL void throw_no_records(RecordReader& reader) {
    throw DataError(reader.name(), "", "at least one record", "none");
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL CachedBlocks::CachedBlocks(CacheFile file, std::function<CacheFile()> remake)
    : file_(std::make_shared<const CacheFile>(std::move(file))), footer_(file_->footer()), remake_(std::move(remake)) {}

SIGMA_IMPL void CachedBlocks::load(std::size_t number, Block& to) const {
    std::shared_ptr<const CacheFile> file = present();
    if (file->read(number, to)) return;
    {
        const std::lock_guard lock(mutex_);
        if (file == file_) {  // else another thread has made it again
            auto made = std::make_shared<const CacheFile>(remake_());
            if (made->footer() != footer_)
                throw DataError(footer_.key, "", sentence(footer_.records, " records as before"),
                                sentence(made->footer().records));
            file_ = std::move(made);
        }
        file = file_;
    }
    if (!file->read(number, to)) throw DataError(footer_.key, "", "an intact cache file", "a damaged file");
}

SIGMA_IMPL std::shared_ptr<const CacheFile> CachedBlocks::present() const {
    const std::lock_guard lock(mutex_);
    return file_;
}

SIGMA_IMPL std::shared_ptr<const CachedBlocks> cached(std::shared_ptr<const Blocks> blocks, const std::string& name,
                                                      DiskCache disk) {
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

SIGMA_IMPL std::shared_ptr<const CachedBlocks> cached(
    std::shared_ptr<RecordReader> reader, const std::string& name, const std::string& options,
    const std::function<std::size_t(const std::vector<SectionInfo>&)>& block_records,
    const std::function<bool(const CacheFooter&)>& usable, DiskCache disk) {
    const std::string read_key = reader->key(), key = sentence(read_key, options);
    const auto remake = [=] {
        Task task(TaskKind::read, name, reader->size(), "records");
        const std::vector<SectionInfo> sections = reader->sections();
        const std::size_t most = block_records(sections);
        return disk.make(name, {key, 0, most, sections, {}}, [&](const auto& add, std::vector<std::string>& classes) {
            reader->rewind();
            if (reader->key() != read_key)
                throw DataError(reader->name(), "", "the data of the first reading", "changed data");
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
