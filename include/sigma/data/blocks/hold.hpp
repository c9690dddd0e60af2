// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <utility>

namespace sigma::data {

namespace detail {

/// A block in memory and who holds it: the ActiveBlocks that loaded it, and everyone who reads it.
struct ActiveBlock;

}  // namespace detail

/// Holds a block in memory while it lives, also when its dataset is gone; may be empty.
class BlockHold {
public:
    BlockHold() = default;
    explicit BlockHold(detail::ActiveBlock* block);
    BlockHold(const BlockHold& other);
    BlockHold(BlockHold&& other) noexcept : block_(std::exchange(other.block_, nullptr)), read_(other.read_) {}
    BlockHold& operator=(BlockHold other) noexcept;
    ~BlockHold();

    explicit operator bool() const { return block_ != nullptr; }
    const Block& operator*() const { return *read_; }
    const Block* operator->() const { return read_; }

private:
    detail::ActiveBlock* block_ = nullptr;
    const Block* read_ = nullptr;  ///< what is in it
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/hold.ipp>
#endif
