// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/storage/checksum.hpp>

#include <memory>
#include <utility>

namespace sigma::data {

/// What preprocessing does, as part of keys: words, sections and the bits of everything it has learned. Functions of
/// the user are known by their names alone.
inline std::string key_of(const Preprocessing& preprocessing) {
    std::string text;
    for (const Preprocessing::Step& step : preprocessing.steps()) {
        text += sentence("; ", step.section, " >> ", step.transform->kind(), '(');
        for (const TransformValue& value : step.transform->state())
            text += sentence(value.name, ' ', value.values.size(), ' ',
                             storage::hexadecimal(storage::checksum(std::as_bytes(std::span(value.values)))), ' ');
        text += ')';
    }
    return text;
}

/// Blocks whose records go through preprocessing when they are loaded.
class TransformedBlocks final : public Blocks {
public:
    /// Throws ShapeError where the preprocessing does not fit.
    TransformedBlocks(std::shared_ptr<const Blocks> blocks, Preprocessing preprocessing)
        : blocks_(std::move(blocks)), preprocessing_(std::move(preprocessing)),
          sections_(preprocessing_.sections(blocks_->sections())) {}

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return blocks_->records(); }
    std::size_t block_records() const override { return blocks_->block_records(); }
    std::string key() const override { return blocks_->key() + key_of(preprocessing_); }
    void load(std::size_t number, Block& to) const override {
        blocks_->load(number, to);
        preprocessing_.apply(to, blocks_->sections());
    }

private:
    std::shared_ptr<const Blocks> blocks_;
    Preprocessing preprocessing_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data
