// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/transform/preprocessing.hpp>

namespace sigma::data {

/// What preprocessing does, as part of keys: words, sections and the bits of everything it has learned. Functions of
/// the user are known by their names alone.
std::string key_of(const Preprocessing& preprocessing);

/// Blocks whose records go through preprocessing when they are loaded.
class TransformedBlocks final : public Blocks {
public:
    /// Throws ShapeError where the preprocessing does not fit.
    TransformedBlocks(sigma::detail::SharedOwner<const Blocks> blocks, Preprocessing preprocessing);

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return blocks_->records(); }
    std::size_t block_records() const override { return blocks_->block_records(); }
    std::string key() const override { return blocks_->key() + key_of(preprocessing_); }
    void load(std::size_t number, Block& to) const override;

private:
    sigma::detail::SharedOwner<const Blocks> blocks_;
    Preprocessing preprocessing_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/transformed.ipp>
#endif
