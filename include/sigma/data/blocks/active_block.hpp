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
    std::uint64_t used = 0;  ///< clock of the last use
    bool loading = false;
    std::atomic<std::size_t> holders{1};

    void hold() { holders.fetch_add(1, std::memory_order_relaxed); }
    void release();
    /// Returns whether only its ActiveBlocks holds it, after everything that other holders did with it. The use count
    /// of a shared_ptr would not guarantee this order: it is read relaxed.
    bool unused() const { return !loading && holders.load(std::memory_order_acquire) == 1; }
};

}  // namespace sigma::data::detail
