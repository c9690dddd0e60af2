// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>

namespace sigma {

/// Standard normal numbers, drawn anew in each step, from two uniform ones each (Box and Muller 1958).
template <Shape S>
constexpr Tensor<S> random_normal(Context& context) {
    const auto u = random_uniform<S>(context);
    const auto v = random_uniform<S>(context);
    return sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586 * v);  // 1 - u: never log(0)
}

}  // namespace sigma
