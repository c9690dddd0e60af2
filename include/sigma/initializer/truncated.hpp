// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Normally distributed, but drawn again where further than two deviations from the mean. `deviation` is that of the
/// whole bell; what is left of it has 0.8796 of it.
constexpr detail::Initializer truncated(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::truncated, detail::Initializer::Fan::none, mean, deviation};
}

}  // namespace sigma
