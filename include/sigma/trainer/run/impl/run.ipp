// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/run/run.hpp>

#include <algorithm>

namespace sigma {

SIGMA_IMPL const EpochResult& History::best() const& {
    const auto last = std::find_if(epochs.rbegin(), epochs.rend(), [](const EpochResult& e) { return e.best; });
    if (last == epochs.rend()) throw StateError("best epoch of a history", "1 finished epoch or more", "0");
    return *last;
}

SIGMA_IMPL void History::add(EpochResult next) {
    const double now = next.watched_loss();
    next.best = epochs.empty();
    if (!next.best) {
        const double least = best().watched_loss();
        next.best = now < least || (least != least && now == now);
    }
    epochs.push_back(next);
}

SIGMA_IMPL void History::cut(std::uint64_t after) {
    std::erase_if(epochs, [&](const EpochResult& e) { return e.epoch > after; });
}

}  // namespace sigma
