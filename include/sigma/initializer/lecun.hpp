// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Normal with variance 1 / in (LeCun et al. 1998, equation 16), for layers followed by selu or tanh.
constexpr detail::Initializer lecun() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, 1};
}
constexpr detail::Initializer lecun_normal() { return lecun(); }
/// The same variance, uniform over ±√(3 / in).
constexpr detail::Initializer lecun_uniform() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root3, root3};
}

}  // namespace sigma
