// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/minibatches.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Loads the blocks of the next window on a thread of its own while records are read from the present one. Relies on
/// what ActiveBlocks does: the block that was not used for the longest time gives way.
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
    std::optional<std::pair<std::uint64_t, std::size_t>> expected_;  ///< epoch and window of Loader::next

    struct Loader;
    Loader* const loader_;

    void order_of(std::uint64_t number);
    void take(std::size_t window, std::vector<std::size_t>& to) const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/block_ahead.ipp>
#endif
