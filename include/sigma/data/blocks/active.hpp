// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Blocks of records, of which some are in memory. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/blocks/hold.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sigma::data {

/// The base class of records in blocks of equal size, the last one shorter. Not all of them need be in memory.
///
/// @see ActiveBlocks, docs/datasets.md
class Blocks {
public:
    virtual ~Blocks() = default;
    /// Returns the sections of a record.
    virtual const std::vector<SectionInfo>& sections() const = 0;
    /// Returns the number of records in all blocks.
    virtual std::size_t records() const = 0;
    /// Returns the number of records in each block but the last.
    virtual std::size_t block_records() const = 0;
    /// Reads a block. Several threads may call it.
    /// @param number  number of the block, from 0
    /// @param to      receives the records; its memory is reused
    /// @throws DataError  if the block cannot be read
    virtual void load(std::size_t number, Block& to) const = 0;
    /// Returns a text of everything that the records depend on: sources, options, transforms.
    virtual std::string key() const = 0;

    /// Returns the number of blocks.
    std::size_t count() const { return (records() + block_records() - 1) / block_records(); }
};

/// Limits of the blocks in memory.
///
/// @see ActiveBlocks
struct BlockLimits {
    std::size_t blocks = 24;  ///< Largest number of blocks, at least 1.
    /// Largest memory of the numbers in them, in bytes. At least one block must fit.
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

/// Blocks of which some are in memory: those used last, and those that are held.
///
/// The memory of a dropped block is reused for the next, so that passes over the data allocate nothing once the limit
/// is reached. If more blocks are held than the limit allows, all of them stay in memory. Each number is checked when
/// its block is loaded: it must be finite, or missing if inputs may have missing numbers. Several threads may use the
/// blocks: one thread loads a block, while others wait for it or use other blocks.
///
/// @see Blocks, DatasetOptions
class ActiveBlocks {
public:
    /// Constructs from blocks.
    /// @param blocks           the blocks
    /// @param name             name in errors
    /// @param limits           largest number and memory of blocks
    /// @param missing_numbers  treatment of missing numbers in inputs
    /// @throws ArgumentError  if one block exceeds the limit
    ActiveBlocks(sigma::detail::SharedOwner<const Blocks> blocks, std::string name, BlockLimits limits = {},
                 Missing missing_numbers = Missing::never);
    ~ActiveBlocks();
    ActiveBlocks(const ActiveBlocks&) = delete;
    ActiveBlocks& operator=(const ActiveBlocks&) = delete;

    /// Returns the blocks.
    const sigma::detail::SharedOwner<const Blocks>& blocks() const { return blocks_; }
    /// Returns the name in errors.
    const std::string& name() const { return name_; }
    /// Returns the limits.
    const BlockLimits& limits() const { return limits_; }
    /// Returns the treatment of missing numbers in inputs.
    Missing missing() const { return missing_; }
    /// Returns whether a block was loaded and has no missing numbers.
    /// @param number  number of the block, from 0
    bool complete(std::size_t number) const;
    /// Returns how many blocks may be in memory at once.
    std::size_t most() const { return most_; }
    /// Returns how many blocks are in memory now.
    std::size_t active() const;
    /// Returns how many blocks were loaded since the construction.
    std::size_t loads() const;

    /// Returns a block, and loads it if it is not in memory.
    /// @param number  number of the block, from 0
    /// @throws DataError  if the block cannot be loaded
    BlockHold get(std::size_t number);
    /// Drops all blocks that are not held.
    void clear();

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    sigma::detail::SharedOwner<const Blocks> blocks_;
    std::string name_;
    Missing missing_;
    BlockLimits limits_;
    std::size_t most_ = 1;
    struct Waiting;  ///< the lock, and threads that wait for a block
    const sigma::detail::Owned<Waiting> waiting_;
    std::vector<std::uint32_t> place_;    ///< index of each block in slots_
    std::vector<std::uint8_t> complete_;  ///< blocks that were complete when they were loaded
    std::vector<detail::ActiveBlock*> slots_;
    std::uint64_t clock_ = 0;
    std::size_t loads_ = 0;

    /// Returns the slot of the least recently used block, or a new one if the limit allows it or all are held.
    std::size_t free_slot();
    void remove(std::size_t at);
    /// Loads a block. Returns true if nothing is missing.
    bool load(std::size_t number, Block& to) const;
};

namespace detail {

/// Returns the number after `word` in `text`, or `other` if `word` is missing.
std::size_t number_after(const std::string& text, const char* word, std::size_t other);

}  // namespace detail

/// Returns the bytes of memory that this process can still take: within MemAvailable of the system, its control group
/// (version 2), and its limits of address space and data. Half of the largest number if none of these is known.
///
/// @see DatasetOptions::memory
std::size_t free_memory();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/active.ipp>
#endif
