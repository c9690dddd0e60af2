// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/minibatches.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Loads the blocks of the next window on a thread of its own while records are read from the present one. Relies on what
/// ActiveBlocks does: the block that was not used for the longest time gives way.
class BlockAhead : public BlockWatch {
public:
    /// The minibatches must not change while it lives.
    explicit BlockAhead(const Minibatches& batches);
    ~BlockAhead() override;
    BlockAhead(const BlockAhead&) = delete;
    BlockAhead& operator=(const BlockAhead&) = delete;

    /// Is there room for two windows, and does one come after the other?
    static bool possible(const Minibatches& batches);
    /// Called by one thread.
    void reading(std::uint64_t number_of_epoch, std::size_t position) override;

private:
    const Minibatches& batches_;
    std::vector<std::size_t> order_, place_;  ///< the blocks in the order of an epoch, and where each is in it
    std::optional<std::uint64_t> order_epoch_, known_epoch_;
    std::size_t known_window_ = 0;
    std::optional<std::pair<std::uint64_t, std::size_t>> expected_;  ///< epoch and window of next_

    std::mutex mutex_;  // also held while a block is loaded: whoever comes to the next window needs that block
    std::condition_variable wake_;
    std::vector<std::size_t> present_, next_;       ///< a record of each block
    std::size_t present_done_ = 0, next_done_ = 0;  ///< so many are loaded
    bool closed_ = false;
    std::thread thread_;

    void order_of(std::uint64_t number);
    void take(std::size_t window, std::vector<std::size_t>& to) const;
    void load(std::size_t position) const;
    void work();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/block_ahead.ipp>
#endif
