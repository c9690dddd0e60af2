// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Normal with variance 1 / in (LeCun et al. 1998, equation 16), for layers followed by selu or tanh.
constexpr Initializer lecun() { return {Initializer::Kind::gaussian, Initializer::Fan::in, 0, 1}; }
constexpr Initializer lecun_normal() { return lecun(); }
/// The same variance, uniform over ±√(3 / in).
constexpr Initializer lecun_uniform() {
    constexpr double root3 = 1.7320508075688772;
    return {Initializer::Kind::uniform, Initializer::Fan::in, -root3, root3};
}

}  // namespace sigma
