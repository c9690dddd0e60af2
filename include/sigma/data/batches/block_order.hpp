// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::data {

/// Which records of a dataset lie in which of its blocks, and orders that visit one window of blocks after the other.
class BlockOrder {
public:
    /// Of the block of each record.
    explicit BlockOrder(const std::vector<std::size_t>& blocks);

    /// Blocks with records of the dataset.
    std::size_t count() const { return begin_.size() - 1; }
    /// Records by their blocks: block b has those from begin(b) to begin(b + 1).
    std::span<const std::size_t> positions() const { return positions_; }
    std::size_t begin(std::size_t block) const { return begin_[block]; }
    /// Which of the count() blocks the record at a position lies in.
    std::size_t block(std::size_t position) const { return rank_[position]; }
    /// Are the positions 0, 1, 2, …?
    bool sequential() const;
    std::size_t largest() const;

    /// The records of an epoch: blocks in random order, `window` of them at a time, the records of a window shuffled,
    /// so that each block is needed during one window only. Allocates nothing where `to` has the capacity already.
    void shuffle(std::uint64_t seed, std::uint64_t number, std::size_t window, std::vector<std::size_t>& to) const;
    /// The same for records that were drawn, some of them several times.
    void arrange(std::uint64_t seed, std::uint64_t number, std::size_t window, std::vector<std::size_t>& drawn) const;
    /// The blocks in the order of an epoch.
    static void shuffled_blocks(std::uint64_t seed, std::uint64_t number, std::span<std::size_t> order);

private:
    std::vector<std::size_t> positions_, rank_, begin_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/block_order.ipp>
#endif
