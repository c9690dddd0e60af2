// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `BlockHold`: keeps a block in memory. Included by `<sigma/sigma.hpp>`.

#include <sigma/data/block.hpp>

#include <utility>

namespace sigma::data {

namespace detail {

/// A block in memory and the count of its holders: the ActiveBlocks that loaded it, and readers.
struct ActiveBlock;

}  // namespace detail

/// Keeps a block in memory during its lifetime, also if the dataset is destroyed. May be empty.
///
/// @see ActiveBlocks::get
class BlockHold {
public:
    /// Constructs an empty hold.
    BlockHold() = default;
    /// @cond internal
    explicit BlockHold(detail::ActiveBlock* block);
    BlockHold(const BlockHold& other);
    BlockHold(BlockHold&& other) noexcept : block_(std::exchange(other.block_, nullptr)), read_(other.read_) {}
    BlockHold& operator=(BlockHold other) noexcept;
    ~BlockHold();
    /// @endcond

    /// Returns whether it holds a block.
    explicit operator bool() const { return block_ != nullptr; }
    /// Returns the block.
    const Block& operator*() const { return *read_; }
    /// Returns the address of the block.
    const Block* operator->() const { return read_; }

private:
    detail::ActiveBlock* block_ = nullptr;
    const Block* read_ = nullptr;  ///< the contents of block_
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/hold.ipp>
#endif
