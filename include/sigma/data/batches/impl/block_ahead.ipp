// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/block_ahead.hpp>
#include <sigma/data/batches/block_order.hpp>
#include <sigma/data/blocks/active.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace sigma::detail {

/// What the thread knows, and it.
struct BlockAhead::Loader {
    const Minibatches& batches;

    std::mutex mutex{};  // also held while a block is loaded: whoever comes to the next window needs that block
    std::condition_variable wake{};
    std::vector<std::size_t> present{}, next{};   ///< a record of each block
    std::size_t present_done = 0, next_done = 0;  ///< so many are loaded
    bool closed = false;
    std::thread thread{};

    void load(std::size_t position) const {
        try {
            batches.dataset.blocks()->get(batches.dataset.block_of(position));
        } catch (...) {
            // Whoever reads from the block is told.
        }
    }
    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return closed || present_done < present.size() || next_done < next.size(); });
            if (closed) return;
            if (present_done < present.size()) load(present[present_done++]);
            else load(next[next_done++]);
            lock.unlock();  // for those who wait
            std::this_thread::yield();
            lock.lock();
        }
    }
};

SIGMA_IMPL BlockAhead::BlockAhead(const Minibatches& batches)
    : batches_(batches), order_(batches.blocks->count()), place_(batches.blocks->count()),
      loader_(new Loader{batches}) {
    try {
        loader_->present.reserve(batches.window);
        loader_->next.reserve(batches.window);
        loader_->thread = std::thread([loader = loader_] { loader->work(); });
    } catch (...) {
        delete loader_;
        throw;
    }
}

SIGMA_IMPL BlockAhead::~BlockAhead() {
    {
        const std::lock_guard lock(loader_->mutex);
        loader_->closed = true;
    }
    loader_->wake.notify_one();
    loader_->thread.join();
    delete loader_;
}

SIGMA_IMPL bool BlockAhead::possible(const Minibatches& batches) {
    return batches.blocks && batches.dataset.active_blocks() >= 2 * batches.window &&
           (batches.mixes() || batches.undivided || batches.blocks->sequential());
}

SIGMA_IMPL void BlockAhead::reading(std::uint64_t number_of_epoch, std::size_t position) {
    order_of(number_of_epoch);
    const std::size_t window = place_[batches_.blocks->block(position)] / batches_.window;
    if (known_epoch_ == number_of_epoch && known_window_ == window) return;
    known_epoch_ = number_of_epoch;
    known_window_ = window;
    Loader& l = *loader_;
    {
        const std::lock_guard lock(l.mutex);
        std::swap(l.present, l.next);
        const bool expected = expected_ == std::pair(number_of_epoch, window);
        if (!expected) take(window, l.present);
        // Those loaded ahead are in use from now on, so that older ones give way.
        l.present_done = expected ? l.next_done : 0;
        l.next_done = 0;
        for (std::size_t i = 0; i < l.present_done; ++i) l.load(l.present[i]);
        const bool last = (window + 1) * batches_.window >= order_.size();
        expected_ = last ? std::pair(number_of_epoch + 1, std::size_t{0}) : std::pair(number_of_epoch, window + 1);
        order_of(expected_->first);
        take(expected_->second, l.next);
    }
    l.wake.notify_one();
}

SIGMA_IMPL void BlockAhead::order_of(std::uint64_t number) {
    if (order_epoch_ == number) return;
    if (batches_.mixes()) data::BlockOrder::shuffled_blocks(batches_.seed, number, order_);
    else std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    order_epoch_ = number;
}

SIGMA_IMPL void BlockAhead::take(std::size_t window, std::vector<std::size_t>& to) const {
    to.clear();
    const std::size_t end = std::min((window + 1) * batches_.window, order_.size());
    for (std::size_t i = window * batches_.window; i < end; ++i)
        to.push_back(batches_.blocks->positions()[batches_.blocks->begin(order_[i])]);
}

}  // namespace sigma::detail
