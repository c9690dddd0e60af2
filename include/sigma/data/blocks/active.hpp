// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/blocks.hpp>
#include <sigma/data/finite.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// How many blocks may be in memory at once.
struct BlockLimits {
    std::size_t blocks = 24;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of the numbers in them
};

namespace detail {

/// A block in memory and who holds it: the ActiveBlocks that loaded it, and everyone who reads it.
struct ActiveBlock {
    Block block;
    std::size_t number = 0;
    std::uint64_t used = 0;  ///< the clock when somebody asked for it last
    bool loading = false;
    std::atomic<std::size_t> holders{1};

    void hold() { holders.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    /// Nobody but its ActiveBlocks holds it, and what the others did with it happened before. The use count of a
    /// shared_ptr would not tell that: it is read without order.
    bool unused() const { return !loading && holders.load(std::memory_order_acquire) == 1; }
};

}  // namespace detail

/// Holds a block in memory while it lives, also when its dataset is gone; may be empty.
class BlockHold {
public:
    BlockHold() = default;
    explicit BlockHold(detail::ActiveBlock* block) : block_(block) { block_->hold(); }
    BlockHold(const BlockHold& other) : block_(other.block_) {
        if (block_ != nullptr) block_->hold();
    }
    BlockHold(BlockHold&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    BlockHold& operator=(BlockHold other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~BlockHold() {
        if (block_ != nullptr) block_->release();
    }

    explicit operator bool() const { return block_ != nullptr; }
    const Block& operator*() const { return block_->block; }
    const Block* operator->() const { return &block_->block; }

private:
    detail::ActiveBlock* block_ = nullptr;
};

/// Blocks of which some are in memory: those used last, and those that somebody holds. The memory of a block that gives
/// way is used again for the next, so that passes over the data allocate nothing once there are as many as there may
/// be. When more are held than there may be, there are as many as are held. Every number is checked to be finite when
/// its block is loaded, or missing where inputs may hold that. Safe between threads: each block is loaded by one of
/// them while others wait for it or use other blocks.
class ActiveBlocks {
public:
    /// `name` is what errors call the data. Throws ArgumentError where one block alone is larger than the limit.
    ActiveBlocks(std::shared_ptr<const Blocks> blocks, std::string name, BlockLimits limits = {},
                 Missing missing_numbers = Missing::never)
        : blocks_(std::move(blocks)), name_(std::move(name)), missing_(missing_numbers),
          place_(blocks_->count(), nowhere), complete_(blocks_->count()) {
        std::size_t numbers = 0;
        for (const SectionInfo& s : blocks_->sections()) numbers += s.size();
        const std::size_t bytes =
            std::max<std::size_t>(numbers * sizeof(float), 1) * std::min(blocks_->block_records(), blocks_->records());
        if (bytes > limits.bytes || limits.blocks == 0)
            throw ArgumentError(sentence("blocks of dataset '", name_, "'"),
                                sentence("room for at least one block of ", bytes, " bytes"),
                                sentence(limits.blocks, " blocks and ", limits.bytes, " bytes"));
        limits_ = limits;
        most_ = std::min(limits.blocks, limits.bytes / std::max<std::size_t>(bytes, 1));
    }
    ~ActiveBlocks() {
        for (detail::ActiveBlock* slot : slots_) slot->release();
    }
    ActiveBlocks(const ActiveBlocks&) = delete;
    ActiveBlocks& operator=(const ActiveBlocks&) = delete;

    const std::shared_ptr<const Blocks>& blocks() const { return blocks_; }
    const std::string& name() const { return name_; }
    const BlockLimits& limits() const { return limits_; }
    Missing missing() const { return missing_; }
    /// Has block `number` been loaded, and nothing of it is missing?
    bool complete(std::size_t number) const {
        const std::lock_guard lock(mutex_);
        return complete_[number] != 0;
    }
    /// How many may be in memory at once.
    std::size_t most() const { return most_; }
    /// How many are in memory now, and how many have been loaded since the beginning.
    std::size_t active() const {
        const std::lock_guard lock(mutex_);
        return slots_.size();
    }
    std::size_t loads() const {
        const std::lock_guard lock(mutex_);
        return loads_;
    }

    /// Block `number`, loaded where it is not in memory. Throws DataError what loading throws.
    BlockHold get(std::size_t number) {
        std::unique_lock lock(mutex_);
        while (place_[number] != nowhere) {
            detail::ActiveBlock* const found = slots_[place_[number]];
            if (!found->loading) {
                found->used = ++clock_;
                return BlockHold(found);
            }
            loaded_.wait(lock);
        }
        const std::size_t at = free_slot();
        detail::ActiveBlock* const slot = slots_[at];
        slot->number = number;
        slot->loading = true;
        slot->used = ++clock_;
        place_[number] = static_cast<std::uint32_t>(at);
        lock.unlock();
        bool all_there = false;
        try {
            all_there = load(number, slot->block);
        } catch (...) {
            lock.lock();
            slot->loading = false;
            place_[std::exchange(slot->number, none)] = nowhere;
            slot->used = 0;
            loaded_.notify_all();
            throw;
        }
        lock.lock();
        slot->loading = false;
        complete_[number] = all_there;
        ++loads_;
        loaded_.notify_all();
        return BlockHold(slot);
    }
    /// Lets go of all blocks that nobody holds.
    void clear() {
        const std::lock_guard lock(mutex_);
        for (std::size_t at = slots_.size(); at-- > 0;)
            if (slots_[at]->unused()) remove(at);
    }

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::shared_ptr<const Blocks> blocks_;
    std::string name_;
    Missing missing_;
    BlockLimits limits_;
    std::size_t most_ = 1;
    mutable std::mutex mutex_;
    std::condition_variable loaded_;
    std::vector<std::uint32_t> place_;    ///< of each block in slots_
    std::vector<std::uint8_t> complete_;  ///< which were complete when they were loaded
    std::vector<detail::ActiveBlock*> slots_;
    std::uint64_t clock_ = 0;
    std::size_t loads_ = 0;

    /// The slot of the block that was not used for the longest time, a new one where there may be more or all are held.
    std::size_t free_slot() {
        std::size_t found = none;
        do {
            if (found != none) remove(found);  // they were held when there were too many
            found = none;
            if (slots_.size() >= most_)
                for (std::size_t at = 0; at < slots_.size(); ++at)
                    if (slots_[at]->unused() && (found == none || slots_[at]->used < slots_[found]->used)) found = at;
        } while (found != none && slots_.size() > most_);
        if (found == none) {
            slots_.reserve(slots_.size() + 1);
            slots_.push_back(new detail::ActiveBlock);
            slots_.back()->number = none;
            return slots_.size() - 1;
        }
        if (slots_[found]->number != none) place_[slots_[found]->number] = nowhere;
        return found;
    }
    void remove(std::size_t at) {
        if (slots_[at]->number != none) place_[slots_[at]->number] = nowhere;
        slots_[at]->release();
        slots_[at] = slots_.back();
        slots_.pop_back();
        if (at < slots_.size() && slots_[at]->number != none)
            place_[slots_[at]->number] = static_cast<std::uint32_t>(at);
    }
    /// True where nothing is missing.
    bool load(std::size_t number, Block& to) const {
        const std::size_t first = number * blocks_->block_records();
        detail::naming_records(
            name_, [&](std::size_t record) { return first + record; }, [&] { blocks_->load(number, to); });
        const std::size_t wanted = std::min(blocks_->block_records(), blocks_->records() - first);
        const auto& sections = blocks_->sections();
        const auto place = [&] { return sentence("records ", first, " to ", first + wanted - 1); };
        if (to.records != wanted)
            throw DataError::in_dataset(name_, place(), sentence(wanted, " records"), sentence(to.records));
        bool any_missing = false;
        for (std::size_t s = 0; s < sections.size(); ++s) {
            if (to.values.size() != sections.size() || to.values[s].size() != wanted * sections[s].size())
                throw DataError::in_dataset(
                    name_, place(),
                    sentence("records with ", sections[s].size(), " numbers of '", sections[s].name, "'"), "others");
            any_missing = sigma::detail::check_finite(to.values[s], name_, sections[s], missing_, first) || any_missing;
        }
        return !any_missing;
    }
};

}  // namespace sigma::data
