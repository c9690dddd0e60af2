// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/active_block.hpp>
#include <sigma/data/blocks/hold.hpp>

namespace sigma::data::detail {

SIGMA_IMPL void ActiveBlock::release() {
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL BlockHold::BlockHold(detail::ActiveBlock* block) : block_(block), read_(&block->block) { block_->hold(); }

SIGMA_IMPL BlockHold::BlockHold(const BlockHold& other) : block_(other.block_), read_(other.read_) {
    if (block_ != nullptr) block_->hold();
}

SIGMA_IMPL BlockHold& BlockHold::operator=(BlockHold other) noexcept {
    std::swap(block_, other.block_);
    std::swap(read_, other.read_);
    return *this;
}

SIGMA_IMPL BlockHold::~BlockHold() {
    if (block_ != nullptr) block_->release();
}

}  // namespace sigma::data
