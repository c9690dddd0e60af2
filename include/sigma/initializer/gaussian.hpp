// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Normally distributed with the given standard deviation and mean.
constexpr detail::Initializer gaussian(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::none, mean, deviation};
}

}  // namespace sigma
