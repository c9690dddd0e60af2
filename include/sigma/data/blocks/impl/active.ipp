// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array_count.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/blocks/active_block.hpp>
#include <sigma/data/finite.hpp>
#include <sigma/data/transform/fitted.hpp>
#include <sigma/storage/process.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL std::size_t number_after(const std::string& text, const char* word, std::size_t other) {
    const std::size_t at = text.find(word);
    if (at == text.npos) return other;
    const char* const digits = text.c_str() + at + std::strlen(word);
    char* end = nullptr;
    const unsigned long long number = std::strtoull(digits, &end, 10);
    return end == digits ? other : static_cast<std::size_t>(number);
}

/// Returns the number of blocks; throws for blocks of a program's own without records, which would divide by 0.
SIGMA_IMPL std::size_t checked_count(const Blocks& blocks, const std::string& name) {
    if (blocks.block_records() == 0)
        throw ArgumentError(sentence("blocks of dataset '", name, "'"), "one record or more in a block", "0");
    return (blocks.records() - (blocks.records() > 0)) / blocks.block_records() + (blocks.records() > 0);
}

}  // namespace sigma::data::detail

namespace sigma::data {

struct ActiveBlocks::Waiting {
    std::mutex mutex;
    std::condition_variable loaded;
};

SIGMA_IMPL ActiveBlocks::ActiveBlocks(sigma::detail::SharedOwner<const Blocks> blocks, std::string name,
                                      BlockLimits limits, Missing missing_numbers)
    : blocks_(std::move(blocks)), name_(std::move(name)), missing_(missing_numbers), waiting_(new Waiting),
      place_(detail::checked_count(*blocks_, name_), nowhere), complete_(place_.size()) {
    std::size_t record = 0;
    for (const SectionInfo& s : blocks_->sections())
        if (__builtin_add_overflow(record, s.bytes(), &record)) record = SIZE_MAX;
    const std::size_t bytes = sigma::detail::array_count(
        std::array{std::max<std::size_t>(record, 1), std::min(blocks_->block_records(), blocks_->records())});
    if (bytes == SIZE_MAX || bytes > limits.bytes || limits.blocks == 0)
        throw ArgumentError(sentence("blocks of dataset '", name_, "'"),
                            sentence("room for at least one block of ", bytes, " bytes"),
                            sentence(limits.blocks, " blocks and ", limits.bytes, " bytes"));
    limits_ = limits;
    most_ = std::min(limits.blocks, limits.bytes / std::max<std::size_t>(bytes, 1));
}

SIGMA_IMPL ActiveBlocks::~ActiveBlocks() {
    for (detail::ActiveBlock* slot : slots_) slot->release();
}

SIGMA_IMPL bool ActiveBlocks::complete(std::size_t number) const {
    const std::lock_guard lock(waiting_->mutex);
    return complete_[number] != 0;
}

SIGMA_IMPL std::size_t ActiveBlocks::active() const {
    const std::lock_guard lock(waiting_->mutex);
    return slots_.size();
}

SIGMA_IMPL std::size_t ActiveBlocks::loads() const {
    const std::lock_guard lock(waiting_->mutex);
    return loads_;
}

SIGMA_IMPL BlockHold ActiveBlocks::get(std::size_t number) {
    std::unique_lock lock(waiting_->mutex);
    while (place_[number] != nowhere) {
        detail::ActiveBlock* const found = slots_[place_[number]];
        if (!found->loading) {
            found->used = ++clock_;
            return BlockHold(found);
        }
        waiting_->loaded.wait(lock);
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
        waiting_->loaded.notify_all();
        throw;
    }
    lock.lock();
    slot->loading = false;
    complete_[number] = all_there;
    ++loads_;
    waiting_->loaded.notify_all();
    return BlockHold(slot);
}

SIGMA_IMPL void ActiveBlocks::clear() {
    const std::lock_guard lock(waiting_->mutex);
    for (std::size_t at = slots_.size(); at-- > 0;)
        if (slots_[at]->unused()) remove(at);
}

SIGMA_IMPL std::size_t ActiveBlocks::free_slot() {
    std::size_t found = none;
    do {
        if (found != none) remove(found);  // loaded when more blocks were held than allowed
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

SIGMA_IMPL void ActiveBlocks::remove(std::size_t at) {
    if (slots_[at]->number != none) place_[slots_[at]->number] = nowhere;
    slots_[at]->release();
    slots_[at] = slots_.back();
    slots_.pop_back();
    if (at < slots_.size() && slots_[at]->number != none) place_[slots_[at]->number] = static_cast<std::uint32_t>(at);
}

SIGMA_IMPL bool ActiveBlocks::load(std::size_t number, Block& to) const {
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
        if (to.values.size() != sections.size() ||
            to.values[s].size() != sigma::detail::array_count(std::array{wanted, sections[s].size()}))
            throw DataError::in_dataset(name_, place(),
                                        sentence(wanted * sections[s].size(), " numbers of '", sections[s].name, "'"),
                                        to.values.size() != sections.size() ? sentence(to.values.size(), " sections")
                                                                            : sentence(to.values[s].size()));
        any_missing = sigma::detail::check_finite(to.values[s], name_, sections[s], missing_, first) || any_missing;
    }
    return !any_missing;
}

SIGMA_IMPL std::size_t free_memory() {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    const auto left = [](std::size_t limit, std::size_t used) { return limit > used ? limit - used : 0; };
    const std::size_t kilobytes =
        detail::number_after(sigma::detail::system_file("/proc/meminfo"), "MemAvailable:", most / 1024);
    std::size_t bytes = kilobytes * 1024;

    if (const std::string group = sigma::detail::control_group(); !group.empty()) {
        const std::size_t limit = detail::number_after(sigma::detail::system_file(group + "/memory.max"), "", most);
        const std::size_t used = detail::number_after(sigma::detail::system_file(group + "/memory.current"), "", 0);
        bytes = std::min(bytes, left(limit, used));
    }

    const std::string status = sigma::detail::system_file("/proc/self/status");
    const auto within = [&](std::size_t limit, const char* word) {
        bytes = std::min(bytes, left(limit, detail::number_after(status, word, 0) * 1024));
    };
    const storage::MemoryLimits limits = storage::memory_limits();
    within(limits.address_space, "VmSize:");
    within(limits.data, "VmData:");
    return bytes;
}

}  // namespace sigma::data
