// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Uniformly distributed over [low, high).
constexpr detail::Initializer uniform(double low, double high) {
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::none, low, high};
}

}  // namespace sigma
