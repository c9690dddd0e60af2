// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Every element the same.
constexpr Initializer constant(double value) { return {Initializer::Kind::constant, Initializer::Fan::none, value, 0}; }
inline constexpr Initializer zeros = constant(0);
inline constexpr Initializer ones = constant(1);

}  // namespace sigma
