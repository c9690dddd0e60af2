// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Blocks with preprocessing. Include it yourself.

#include <sigma/core/error.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/transform/preprocessing.hpp>

namespace sigma::data {

/// Returns a text of everything that preprocessing does, for keys: names, sections and the bits of what it has learned.
/// Functions of `apply` are identified by their names alone.
/// @param preprocessing  the preprocessing
///
/// @see TransformedBlocks
std::string key_of(const Preprocessing& preprocessing);

/// Blocks with preprocessing, which is applied when a block is loaded.
///
/// @see transformed
class TransformedBlocks final : public Blocks {
public:
    /// Constructs from blocks.
    /// @param blocks         the blocks
    /// @param preprocessing  the preprocessing
    /// @throws ShapeError  if the preprocessing does not fit
    TransformedBlocks(sigma::detail::SharedOwner<const Blocks> blocks, Preprocessing preprocessing);

    /// @cond internal
    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return blocks_->records(); }
    std::size_t block_records() const override { return blocks_->block_records(); }
    std::string key() const override { return blocks_->key() + key_of(preprocessing_); }
    SIGMA_IMPL void load(std::size_t number, Block& to) const override;
    /// @endcond

private:
    sigma::detail::SharedOwner<const Blocks> blocks_;
    Preprocessing preprocessing_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/transformed.ipp>
#endif
