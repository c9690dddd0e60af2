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
#include <vector>

namespace sigma::detail {

/// Loads the blocks of the next window on a thread of its own while batches are gathered from the present one.
class BlockAhead {
public:
    /// The minibatches must not change while it lives.
    explicit BlockAhead(const Minibatches& batches) : batches_(batches), place_(batches.blocks->count()) {
        present_.reserve(batches.window);
        next_.reserve(batches.window);
        order_.resize(place_.size());
        thread_ = std::thread([this] { work(); });
    }
    ~BlockAhead() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    BlockAhead(const BlockAhead&) = delete;
    BlockAhead& operator=(const BlockAhead&) = delete;

    /// Is there room for two windows?
    static bool possible(const Minibatches& batches) {
        return batches.blocks && batches.dataset.active_blocks() >= 2 * batches.window;
    }
    /// Called before these records are gathered, by one thread.
    void gathering(const BatchRecords& of) {
        order_of(of.epoch);
        const std::size_t window = place_[batches_.blocks->block(of.records.back())] / batches_.window;
        if (known_epoch_ == of.epoch && known_window_ == window) return;
        known_epoch_ = of.epoch;
        known_window_ = window;
        {
            const std::lock_guard lock(mutex_);
            take(window, present_);
            const bool last = (window + 1) * batches_.window >= order_.size();
            if (last) order_of(of.epoch + 1);
            take(last ? 0 : window + 1, next_);
            ++generation_;
        }
        wake_.notify_one();
    }

private:
    const Minibatches& batches_;
    std::vector<std::size_t> order_, place_;  ///< the blocks in the order of an epoch, and where each is in it
    std::optional<std::uint64_t> order_epoch_, known_epoch_;
    std::size_t known_window_ = 0;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::size_t> present_, next_;  ///< positions of a record of each block
    std::uint64_t generation_ = 0;
    bool closed_ = false;
    std::thread thread_;

    void order_of(std::uint64_t number) {
        if (order_epoch_ == number) return;
        if (batches_.mixes()) data::BlockOrder::shuffled_blocks(batches_.seed, number, order_);
        else std::iota(order_.begin(), order_.end(), std::size_t{0});
        for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
        order_epoch_ = number;
    }
    void take(std::size_t window, std::vector<std::size_t>& to) const {
        to.clear();
        const std::size_t end = std::min((window + 1) * batches_.window, order_.size());
        for (std::size_t i = window * batches_.window; i < end; ++i)
            to.push_back(batches_.blocks->positions()[batches_.blocks->begin(order_[i])]);
    }
    void work() {
        std::unique_lock lock(mutex_);
        for (std::uint64_t seen = 0;;) {
            wake_.wait(lock, [&] { return closed_ || generation_ != seen; });
            if (closed_) return;
            seen = generation_;
            // First those in use, so that none of them is the one unused for longest, then those to come.
            for (std::size_t i = 0; i < present_.size() + next_.size(); ++i) {
                const std::size_t position = i < present_.size() ? present_[i] : next_[i - present_.size()];
                lock.unlock();
                try {
                    batches_.dataset.blocks()->get(batches_.dataset.block_of(position));
                } catch (const Error&) {
                    // Whoever gathers from the block is told.
                }
                lock.lock();
                if (closed_) return;
                if (generation_ != seen) break;
            }
        }
    }
};

}  // namespace sigma::detail
