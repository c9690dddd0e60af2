// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Every element the same.
constexpr detail::Initializer constant(double value) {
    return {detail::Initializer::Kind::constant, detail::Initializer::Fan::none, value, 0};
}
inline constexpr detail::Initializer zeros = constant(0);
inline constexpr detail::Initializer ones = constant(1);

}  // namespace sigma
