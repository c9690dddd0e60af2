// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/workspaces.hpp>

namespace sigma::detail {

SIGMA_IMPL Workspaces::Return::~Return() {
    Piece* none = nullptr;
    if (to.spare_.compare_exchange_strong(none, piece.get(), std::memory_order_release, std::memory_order_relaxed))
        (void)piece.release();
    else
        to.give(std::move(piece));
}

SIGMA_IMPL std::unique_ptr<Workspaces::Piece> Workspaces::take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<Piece> last = std::move(free_.back());
    free_.pop_back();
    return last;
}

SIGMA_IMPL void Workspaces::make_room() {
    const std::lock_guard lock(mutex_);
    free_.reserve(++made_);
}

SIGMA_IMPL void Workspaces::give(std::unique_ptr<Piece> piece) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(piece));
}

}  // namespace sigma::detail
