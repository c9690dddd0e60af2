// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/replay.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>

namespace sigma {

SIGMA_IMPL ReplayBuffer::ReplayBuffer(std::size_t capacity, std::size_t observation_size)
    : capacity_(capacity), width_(observation_size) {
    if (capacity < 1) throw ArgumentError("ReplayBuffer", "a capacity of 1 or more", "0");
    if (observation_size < 1) throw ArgumentError("ReplayBuffer", "observations of 1 number or more", "0");
}
SIGMA_IMPL void ReplayBuffer::add(std::span<const float> observation, std::size_t action, double reward,
                                  std::span<const float> next_observation, bool terminated) {
    for (const std::size_t found : {observation.size(), next_observation.size()})
        if (found != width_)
            throw ShapeError("observation for ReplayBuffer", sentence(width_, " numbers"), sentence(found));
    if (size() < capacity_) {
        kept_.observations.insert(kept_.observations.end(), observation.begin(), observation.end());
        kept_.next_observations.insert(kept_.next_observations.end(), next_observation.begin(), next_observation.end());
        kept_.actions.push_back(action);
        kept_.rewards.push_back(reward);
        kept_.terminated.push_back(terminated);
        return;
    }
    const auto at = static_cast<std::ptrdiff_t>(oldest_ * width_);
    std::ranges::copy(observation, kept_.observations.begin() + at);
    std::ranges::copy(next_observation, kept_.next_observations.begin() + at);
    kept_.actions[oldest_] = action;
    kept_.rewards[oldest_] = reward;
    kept_.terminated[oldest_] = terminated;
    oldest_ = (oldest_ + 1) % capacity_;
}
SIGMA_IMPL ReplaySample ReplayBuffer::sample(std::size_t count, PhiloxSequence& random) const {
    if (size() == 0) throw ArgumentError("sample of ReplayBuffer", "a buffer with steps", "an empty buffer");
    ReplaySample drawn;
    for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(random.below(size()));
        const auto append = [&](std::vector<float>& to, const std::vector<float>& from) {
            const auto row = from.begin() + static_cast<std::ptrdiff_t>(k * width_);
            to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(width_));
        };
        append(drawn.observations, kept_.observations);
        append(drawn.next_observations, kept_.next_observations);
        drawn.actions.push_back(kept_.actions[k]);
        drawn.rewards.push_back(kept_.rewards[k]);
        drawn.terminated.push_back(kept_.terminated[k]);
    }
    return drawn;
}

}  // namespace sigma
