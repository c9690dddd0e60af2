// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/blocks/cached.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/transform/fitted.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>

namespace sigma::data {

/// The blocks of a reader, which can only go forward: to find an earlier block, it starts again. For blocks in random
/// order, a DiskCache is put between.
class ReaderBlocks final : public Blocks {
public:
    /// Reads everything once if the reader does not know the number of records. Throws DataError.
    ReaderBlocks(std::shared_ptr<RecordReader> reader, std::size_t block_records)
        : reader_(std::move(reader)), sections_(reader_->sections()),
          block_records_(std::max<std::size_t>(block_records, 1)), key_(reader_->key()) {
        if (const auto known = reader_->size()) {
            records_ = *known;
            rewind();
            return;
        }
        rewind();
        while (const std::size_t count = reader_->read(block_records_, skipped_)) records_ += count;
        rewind();
    }

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override { return sentence(key_, "; blocks of ", block_records_); }

    void load(std::size_t number, Block& to) const override {
        const std::lock_guard lock(mutex_);
        try {
            if (number < next_) rewind();
            for (; next_ < number; ++next_) read(next_, skipped_);
            read(next_, to);
            ++next_;
        } catch (...) {
            next_ = broken;  // the position of the reader is unknown
            throw;
        }
    }

private:
    static constexpr std::size_t broken = static_cast<std::size_t>(-1);

    std::shared_ptr<RecordReader> reader_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
    std::string key_;
    mutable std::mutex mutex_;
    mutable std::size_t next_ = 0;  ///< number of the block that the reader returns next
    mutable Block skipped_;

    void rewind() const {
        if (reader_->key() != key_)
            throw DataError(reader_->name(), "", "the data of the first reading", "changed data");
        reader_->rewind();
        next_ = 0;
    }
    void read(std::size_t number, Block& to) const {
        const std::size_t first = number * block_records_;
        const std::size_t wanted = std::min(block_records_, records_ - first);
        const std::size_t found = reader_->read(wanted, to);
        if (found != wanted)
            throw DataError(reader_->name(), "", sentence(records_, " records"), sentence(first + found));
    }
};

}  // namespace sigma::data

namespace sigma::data::detail {

/// The reading of a pipeline into a dataset.
class DatasetReading {
public:
    DatasetReading(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps, std::string name,
                   DatasetOptions options)
        : reader_(std::move(reader)), steps_(steps), name_(std::move(name)), options_(std::move(options)),
          memory_(options_.memory != 0 ? options_.memory : free_memory() / 2) {}

    Dataset make() {
        std::optional<Dataset> all;
        if (options_.blocks == whole || options_.blocks == automatic) all = in_memory();
        if (!all) all = in_blocks();
        all->set_origins(reader_->origins());
        return std::move(*all);
    }

private:
    std::shared_ptr<RecordReader> reader_;
    const std::vector<TransformStep>& steps_;
    std::string name_;
    DatasetOptions options_;
    std::size_t memory_;

    Missing missing() const { return options_.missing ? Missing::held : Missing::refused; }
    static std::size_t record_bytes(const std::vector<SectionInfo>& sections) {
        std::size_t bytes = 0;
        for (const SectionInfo& s : sections) bytes += s.bytes();
        return std::max<std::size_t>(bytes, sizeof(float));
    }
    bool fits(std::size_t records, const std::vector<SectionInfo>& sections) const {
        return options_.blocks == whole || records <= memory_ / record_bytes(sections);
    }
    /// Returns a function of the number of records in a block, which does not need *this.
    auto block_sizes() const {
        const std::size_t fixed_count =
            options_.blocks == automatic || options_.blocks == whole ? 0 : options_.blocks.records;
        return [fixed_count,
                bytes = std::min(memory_ / 8, std::size_t{1} << 22)](const std::vector<SectionInfo>& sections) {
            return fixed_count != 0 ? fixed_count : std::max<std::size_t>(bytes / record_bytes(sections), 1);
        };
    }
    /// Returns a part of the key. Whole and automatic share their files.
    std::string options_text() const {
        return sentence("; blocks of ", options_.blocks == whole ? 0 : options_.blocks.records);
    }

    /// Reads the records into memory, or returns nothing if they do not fit.
    std::optional<Dataset> in_memory() {
        Block all;
        std::vector<SectionInfo> sections;
        std::vector<std::string> classes;
        if (options_.cache == Cache::disk || cached_before()) {
            const auto blocks = cached_records();
            sections = blocks->sections();
            classes = blocks->classes();
            if (!fits(blocks->records(), sections)) return {};
            Block block;
            for (std::size_t n = 0; n < blocks->count(); ++n) {
                blocks->load(n, block);
                append(all, block, blocks->records(), sections);
            }
        } else {
            sections = reader_->sections();
            const auto known = reader_->size();
            if (known && !fits(*known, sections)) return {};
            if (!read_all(all, sections, known)) return {};
            classes = reader_->classes();
        }
        Preprocessing learned =
            learn(sections, steps_, [&](const BlockVisitor& visit) { show(all, sections, visit); }, name_);
        const std::vector<SectionInfo> after = learned.sections(sections);
        if (!fits(all.records, after)) return {};
        naming_records(name_, std::identity(), [&] { learned.apply(all, sections); });
        return Dataset(std::move(all), after, name_, std::move(classes), learned,
                       sentence(reader_->key(), key_of(learned)), missing());
    }

    Dataset in_blocks() {
        std::shared_ptr<const Blocks> blocks;
        std::vector<std::string> classes;
        if (options_.cache == Cache::disk || options_.cache == Cache::automatic) {
            const auto cached = cached_records();
            classes = cached->classes();
            blocks = cached;
        } else {
            const Task task(TaskKind::read, name_, {}, "records");
            blocks = std::make_shared<ReaderBlocks>(reader_, block_sizes()(reader_->sections()));
            if (blocks->records() == 0) throw_no_records(*reader_);
            classes = reader_->classes();
        }
        const Preprocessing learned = learn(
            blocks->sections(), steps_,
            [&](const BlockVisitor& visit) {
                Task task(TaskKind::preprocess, name_, blocks->records(), "records");
                Block block;
                for (std::size_t n = 0; n < blocks->count(); ++n) {
                    blocks->load(n, block);
                    const std::size_t count = block.records;
                    naming_records(
                        name_, [&](std::size_t record) { return n * blocks->block_records() + record; },
                        [&] { visit(block); });
                    task.advance(count);
                }
            },
            name_);
        if (!learned.empty()) blocks = std::make_shared<TransformedBlocks>(std::move(blocks), learned);
        const std::size_t most = options_.active != 0              ? options_.active
                                 : options_.cache == Cache::memory ? std::numeric_limits<std::size_t>::max()
                                                                   : BlockLimits{}.blocks;
        return Dataset(std::make_shared<ActiveBlocks>(std::move(blocks), name_, BlockLimits{most, memory_}, missing()),
                       std::move(classes), learned);
    }

    /// Reads all records. Returns false if they do not fit.
    bool read_all(Block& all, const std::vector<SectionInfo>& sections, std::optional<std::size_t> known) {
        Task task(TaskKind::read, name_, known, "records");
        reader_->rewind();
        Block block;
        const std::size_t most = block_sizes()(sections);
        while (const std::size_t count = reader_->read(most, block)) {
            if (!fits(all.records + count, sections)) return false;
            append(all, block, known.value_or(0), sections);
            task.advance(count);
        }
        if (all.records == 0) throw_no_records(*reader_);
        if (known && all.records != *known)
            throw DataError(reader_->name(), "", sentence(*known, " records"), sentence(all.records));
        return true;
    }
    /// Appends records. `expected` is a number of records that are known to fit, or 0.
    void append(Block& all, const Block& more, std::size_t expected, const std::vector<SectionInfo>& sections) const {
        check_block(*reader_, sections, more);
        all.values.resize(sections.size());
        for (std::size_t s = 0; s < sections.size(); ++s) {
            all.values[s].append(more.values[s], 0, 0);  // only the type
            if (all.records == 0) all.values[s].reserve(expected * sections[s].size());
            all.values[s].append(more.values[s]);
        }
        all.records += more.records;
    }
    /// Passes copies of the records, some at a time, to a function that may change them.
    void show(const Block& all, const std::vector<SectionInfo>& sections, const BlockVisitor& visit) const {
        constexpr std::size_t most = 4096;
        Block part;
        part.values.resize(sections.size());
        for (std::size_t first = 0; first < all.records; first += most) {
            part.records = std::min(most, all.records - first);
            for (std::size_t s = 0; s < sections.size(); ++s) {
                part.values[s].clear();
                part.values[s].append(all.values[s], first * sections[s].size(), part.records * sections[s].size());
            }
            naming_records(name_, [&](std::size_t record) { return first + record; }, [&] { visit(part); });
        }
    }

    /// Returns whether a cache has the records: data that did not fit before are not read again to see if they fit now.
    bool cached_before() const {
        if (options_.cache != Cache::automatic || options_.blocks != automatic) return false;
        try {
            const std::string key = sentence(reader_->key(), options_text());
            return CacheFile::open(DiskCache(options_.directory, options_.disk).path(name_, key), key).has_value();
        } catch (const DataError&) {  // without a cache directory
            return false;
        }
    }
    /// Returns the records in the cache. Transforms come after the cache, so that what they have learned, and functions
    /// of the user, can never be those of another run.
    std::shared_ptr<const CachedBlocks> cached_records() const {
        const auto usable = [&](const CacheFooter& footer) {  // else made with more memory
            return options_.blocks != automatic || footer.block_records == 1 ||
                   footer.block_records <= memory_ / 4 / footer.record_bytes();
        };
        return cached(reader_, name_, options_text(), block_sizes(), usable,
                      DiskCache(options_.directory, options_.disk));
    }
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL DatasetWord dataset(std::string name, DatasetOptions options) {
    return {std::move(name), std::move(options)};
}

SIGMA_IMPL Dataset detail::read_dataset(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps,
                                        DatasetWord word) {
    return DatasetReading(std::move(reader), steps, std::move(word.name), std::move(word.options)).make();
}

}  // namespace sigma::data
