// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sigma::data::detail {

/// A block in memory, for ActiveBlocks and BlockHold.
struct ActiveBlock {
    Block block{};
    std::size_t number = 0;
    std::uint64_t used = 0;  ///< the clock when somebody asked for it last
    bool loading = false;
    std::atomic<std::size_t> holders{1};

    void hold() { holders.fetch_add(1, std::memory_order_relaxed); }
    void release();
    /// Nobody but its ActiveBlocks holds it, and what the others did with it happened before. The use count of a
    /// shared_ptr would not tell that: it is read without order.
    bool unused() const { return !loading && holders.load(std::memory_order_acquire) == 1; }
};

}  // namespace sigma::data::detail
