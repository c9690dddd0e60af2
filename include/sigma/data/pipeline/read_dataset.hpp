// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/task.hpp>
#include <sigma/data/blocks/cached.hpp>
#include <sigma/data/blocks/memory.hpp>
#include <sigma/data/blocks/reader_blocks.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/dataset_options.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data::detail {

/// How a pipeline becomes a dataset.
class DatasetReading {
public:
    DatasetReading(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps, std::string name,
                   DatasetOptions options);

    Dataset make();

private:
    std::shared_ptr<RecordReader> reader_;
    const std::vector<TransformStep>& steps_;
    std::string name_;
    DatasetOptions options_;
    std::size_t memory_;

    Missing missing() const { return options_.missing ? Missing::held : Missing::refused; }
    static std::size_t record_bytes(const std::vector<SectionInfo>& sections);
    bool fits(std::size_t records, const std::vector<SectionInfo>& sections) const;
    /// How many records a block has, a function that does not need *this.
    auto block_sizes() const {
        const std::size_t given =
            options_.blocks == automatic || options_.blocks == whole ? 0 : options_.blocks.records;
        return [given, bytes = std::min(memory_ / 8, std::size_t{1} << 22)](const std::vector<SectionInfo>& sections) {
            return given != 0 ? given : std::max<std::size_t>(bytes / record_bytes(sections), 1);
        };
    }
    /// Part of the key. Whole and automatic share their files.
    std::string options_text() const;

    /// Nothing where it does not fit.
    std::optional<Dataset> in_memory();

    Dataset in_blocks();

    /// False where there are more than fit.
    bool read_all(Block& all, const std::vector<SectionInfo>& sections, std::optional<std::size_t> known);
    /// `expected` records are known to fit, or 0.
    void append(Block& all, const Block& more, std::size_t expected, const std::vector<SectionInfo>& sections) const;
    /// Gives copies of the records, some at a time, to what may change them.
    void show(const Block& all, const std::vector<SectionInfo>& sections, const BlockVisitor& visit) const;

    /// Data that did not fit before are not read again only to see whether they fit now.
    bool cached_before() const;
    /// Transforms come after the cache: what they have learned, and functions of the user, can then never be those of
    /// another run.
    std::shared_ptr<const CachedBlocks> cached_records() const;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/read_dataset.ipp>
#endif
