// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/toggle.hpp>

#include <atomic>
#include <cstdint>

namespace sigma {

struct Toggle::Position {
    std::atomic<bool> on{false};
    std::atomic<std::uint64_t> given{0}, waiting{0};
};

SIGMA_IMPL Toggle::Toggle(bool on) : shared_(detail::SharedOwner<Position>::make()) { set(on); }

SIGMA_IMPL void Toggle::set(bool on) const noexcept { shared_->on.store(on); }

SIGMA_IMPL bool Toggle::state() const noexcept { return shared_->on.load(); }

SIGMA_IMPL std::uint64_t Toggle::pulses() const noexcept { return shared_->given.load(); }

SIGMA_IMPL bool Toggle::flip() const noexcept {
    bool before = shared_->on.load();
    while (!shared_->on.compare_exchange_weak(before, !before)) {}
    return !before;
}

SIGMA_IMPL void Toggle::pulse() const noexcept {
    shared_->given.fetch_add(1);
    shared_->waiting.fetch_add(1);
}

SIGMA_IMPL bool Toggle::take() const noexcept {
    std::uint64_t left = shared_->waiting.load();
    while (left > 0)
        if (shared_->waiting.compare_exchange_weak(left, left - 1)) return true;
    return false;
}

}  // namespace sigma
