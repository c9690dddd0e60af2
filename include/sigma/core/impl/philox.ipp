// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>

#include <cmath>

#include <numbers>

namespace sigma {

SIGMA_IMPL std::array<double, 2> Philox::normal_pair(std::uint64_t index) const {
    const Block drawn = block(index);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - unit(words(drawn, 0))));  // 1 - u: never log(0)
    const double angle = 2.0 * std::numbers::pi * unit(words(drawn, 1));
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

SIGMA_IMPL float Philox::next_after(float from, float to) { return std::nextafter(from, to); }
SIGMA_IMPL double Philox::next_after(double from, double to) { return std::nextafter(from, to); }

}  // namespace sigma
