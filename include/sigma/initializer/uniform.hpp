// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Uniformly distributed over [low, high).
constexpr Initializer uniform(double low, double high) {
    return {Initializer::Kind::uniform, Initializer::Fan::none, low, high};
}

}  // namespace sigma
