// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

namespace sigma {

/// Uniform over ±√(6 / (in + out)), which keeps the variance of activations and of gradients alike (Glorot and Bengio
/// 2010, equation 16); also known as Xavier.
constexpr detail::Initializer glorot() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::average, -root3, root3};
}
constexpr detail::Initializer glorot_uniform() { return glorot(); }
/// The same variance, 2 / (in + out), normally distributed.
constexpr detail::Initializer glorot_normal() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::average, 0, 1};
}

}  // namespace sigma
