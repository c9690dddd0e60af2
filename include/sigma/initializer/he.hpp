// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Normal with variance 2 / in, for layers followed by relu (He et al. 2015, equation 10).
constexpr detail::Initializer he() {
    constexpr double root2 = 1.4142135623730951;
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, root2};
}
constexpr detail::Initializer he_normal() { return he(); }
/// The same variance, uniform over ±√(6 / in).
constexpr detail::Initializer he_uniform() {
    constexpr double root6 = 2.449489742783178;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root6, root6};
}

}  // namespace sigma
