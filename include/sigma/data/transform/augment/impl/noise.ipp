// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/noise.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace sigma::data::detail {

SIGMA_IMPL Noise::Noise(double deviation) : deviation_(deviation) {
    require_augmentation("noise", deviation >= 0 && std::isfinite(deviation), "a finite deviation of at least 0",
                         deviation);
}

SIGMA_IMPL void Noise::apply(std::span<float> record, std::span<const std::size_t>, Philox random) const {
    const auto deviation = static_cast<float>(deviation_);
    for (std::size_t first = 0; first < record.size(); first += 4) {
        const auto four = normal(random.block(first / 4));
        const std::size_t count = std::min<std::size_t>(4, record.size() - first);
        for (std::size_t i = 0; i < count; ++i) record[first + i] += deviation * four[i];
    }
}

SIGMA_IMPL std::array<float, 4> Noise::normal(const Philox::Block& words) {
    std::array<float, 4> all;
    for (std::size_t i = 0; i < 4; i += 2) {
        const float radius = std::sqrt(-2.0f * std::log((static_cast<float>(words[i]) + 1.0f) * 0x1p-32f));
        const float angle = 2 * std::numbers::pi_v<float> * Philox::unit(words[i + 1]);
        all[i] = radius * std::cos(angle);
        all[i + 1] = radius * std::sin(angle);
    }
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation noise(double deviation) {
    return Augmentation(std::make_shared<const detail::Noise>(deviation));
}

}  // namespace sigma::data
