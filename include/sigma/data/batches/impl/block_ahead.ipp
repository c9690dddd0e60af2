// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/block_ahead.hpp>

namespace sigma::detail {

SIGMA_IMPL BlockAhead::BlockAhead(const Minibatches& batches)
    : batches_(batches), order_(batches.blocks->count()), place_(batches.blocks->count()) {
    present_.reserve(batches.window);
    next_.reserve(batches.window);
    thread_ = std::thread([this] { work(); });
}

SIGMA_IMPL BlockAhead::~BlockAhead() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    wake_.notify_one();
    thread_.join();
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
    {
        const std::lock_guard lock(mutex_);
        std::swap(present_, next_);
        const bool expected = expected_ == std::pair(number_of_epoch, window);
        if (!expected) take(window, present_);
        // Those loaded ahead are in use from now on, so that older ones give way.
        present_done_ = expected ? next_done_ : 0;
        next_done_ = 0;
        for (std::size_t i = 0; i < present_done_; ++i) load(present_[i]);
        const bool last = (window + 1) * batches_.window >= order_.size();
        expected_ = last ? std::pair(number_of_epoch + 1, std::size_t{0}) : std::pair(number_of_epoch, window + 1);
        order_of(expected_->first);
        take(expected_->second, next_);
    }
    wake_.notify_one();
}

SIGMA_IMPL void BlockAhead::order_of(std::uint64_t number) {
    if (order_epoch_ == number) return;
    if (batches_.mixes())
        data::BlockOrder::shuffled_blocks(batches_.seed, number, order_);
    else
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    order_epoch_ = number;
}

SIGMA_IMPL void BlockAhead::take(std::size_t window, std::vector<std::size_t>& to) const {
    to.clear();
    const std::size_t end = std::min((window + 1) * batches_.window, order_.size());
    for (std::size_t i = window * batches_.window; i < end; ++i)
        to.push_back(batches_.blocks->positions()[batches_.blocks->begin(order_[i])]);
}

SIGMA_IMPL void BlockAhead::load(std::size_t position) const {
    try {
        batches_.dataset.blocks()->get(batches_.dataset.block_of(position));
    } catch (...) {
        // Whoever reads from the block is told.
    }
}

SIGMA_IMPL void BlockAhead::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return closed_ || present_done_ < present_.size() || next_done_ < next_.size(); });
        if (closed_) return;
        if (present_done_ < present_.size())
            load(present_[present_done_++]);
        else
            load(next_[next_done_++]);
        lock.unlock();  // for those who wait
        std::this_thread::yield();
        lock.lock();
    }
}

}  // namespace sigma::detail
