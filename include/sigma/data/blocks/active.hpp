// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/blocks/hold.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sigma::data {

/// Records in blocks of equal size, the last one shorter, of which not all need be in memory.
class Blocks {
public:
    virtual ~Blocks() = default;
    virtual const std::vector<SectionInfo>& sections() const = 0;
    /// Records in all blocks.
    virtual std::size_t records() const = 0;
    /// Records in each block but the last.
    virtual std::size_t block_records() const = 0;
    /// Reads block `number`, reusing the memory of `to`. Safe from several threads. Throws DataError.
    virtual void load(std::size_t number, Block& to) const = 0;
    /// What the records depend on: sources, options, transforms.
    virtual std::string key() const = 0;

    std::size_t count() const { return (records() + block_records() - 1) / block_records(); }
};

/// How many blocks may be in memory at once.
struct BlockLimits {
    std::size_t blocks = 24;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of the numbers in them
};

/// Blocks of which some are in memory: those used last, and those that somebody holds. The memory of a block that gives
/// way is used again for the next, so that passes over the data allocate nothing once there are as many as there may
/// be. When more are held than there may be, there are as many as are held. Every number is checked to be finite when
/// its block is loaded, or missing where inputs may hold that. Safe between threads: each block is loaded by one of
/// them while others wait for it or use other blocks.
class ActiveBlocks {
public:
    /// `name` is what errors call the data. Throws ArgumentError where one block alone is larger than the limit.
    ActiveBlocks(sigma::detail::SharedOwner<const Blocks> blocks, std::string name, BlockLimits limits = {},
                 Missing missing_numbers = Missing::never);
    ~ActiveBlocks();
    ActiveBlocks(const ActiveBlocks&) = delete;
    ActiveBlocks& operator=(const ActiveBlocks&) = delete;

    const sigma::detail::SharedOwner<const Blocks>& blocks() const { return blocks_; }
    const std::string& name() const { return name_; }
    const BlockLimits& limits() const { return limits_; }
    Missing missing() const { return missing_; }
    /// Has block `number` been loaded, and nothing of it is missing?
    bool complete(std::size_t number) const;
    /// How many may be in memory at once.
    std::size_t most() const { return most_; }
    /// How many are in memory now, and how many have been loaded since the beginning.
    std::size_t active() const;
    std::size_t loads() const;

    /// Block `number`, loaded where it is not in memory. Throws DataError what loading throws.
    BlockHold get(std::size_t number);
    /// Lets go of all blocks that nobody holds.
    void clear();

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    sigma::detail::SharedOwner<const Blocks> blocks_;
    std::string name_;
    Missing missing_;
    BlockLimits limits_;
    std::size_t most_ = 1;
    struct Waiting;  ///< the lock, and those who wait for a block
    const sigma::detail::Owned<Waiting> waiting_;
    std::vector<std::uint32_t> place_;    ///< of each block in slots_
    std::vector<std::uint8_t> complete_;  ///< which were complete when they were loaded
    std::vector<detail::ActiveBlock*> slots_;
    std::uint64_t clock_ = 0;
    std::size_t loads_ = 0;

    /// The slot of the block that was not used for the longest time, a new one where there may be more or all are held.
    std::size_t free_slot();
    void remove(std::size_t at);
    /// True where nothing is missing.
    bool load(std::size_t number, Block& to) const;
};

namespace detail {

/// The number after `word` in `text`, `other` where there is none.
std::size_t number_after(const std::string& text, const char* word, std::size_t other);

}  // namespace detail

/// Bytes of memory that this process can still take: what the system has (MemAvailable), and what its control group
/// (version 2) and its limits of address space and data leave. Half of the largest number where nothing tells.
std::size_t free_memory();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/active.ipp>
#endif
