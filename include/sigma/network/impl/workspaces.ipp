// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/workspaces.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sigma::detail {

struct Workspaces::Kept {
    std::atomic<Piece*> spare{nullptr};  ///< the one that came back last
    std::mutex mutex;                    ///< of what follows
    std::vector<Owned<Piece>> free;
    std::size_t made = 0;
};

SIGMA_IMPL Workspaces::Workspaces() : kept_(new Kept) {}

SIGMA_IMPL Workspaces::~Workspaces() {
    delete kept_->spare.load(std::memory_order_acquire);
    delete kept_;
}

SIGMA_IMPL Owned<Workspaces::Piece> Workspaces::take() {
    if (Piece* const spare = kept_->spare.exchange(nullptr, std::memory_order_acquire)) return Owned<Piece>(spare);
    const std::lock_guard lock(kept_->mutex);
    if (kept_->free.empty()) return nullptr;
    Owned<Piece> last = std::move(kept_->free.back());
    kept_->free.pop_back();
    return last;
}

SIGMA_IMPL void Workspaces::make_room() {
    const std::lock_guard lock(kept_->mutex);
    kept_->free.reserve(++kept_->made);
}

SIGMA_IMPL void Workspaces::give(Owned<Piece> piece) noexcept {
    Piece* none = nullptr;
    if (kept_->spare.compare_exchange_strong(none, piece.get(), std::memory_order_release, std::memory_order_relaxed)) {
        (void)piece.release();
        return;
    }
    const std::lock_guard lock(kept_->mutex);
    kept_->free.push_back(std::move(piece));
}

}  // namespace sigma::detail
