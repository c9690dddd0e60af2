// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>

namespace sigma::detail {

/// A sequence (batch, time, …) with 0 where its mask (batch, time), if it has one, is: what stands there, which may be
/// infinite or NaN, must not reach a gradient, since 0 times it is no 0.
template <Shape S>
constexpr auto masked_sequence(Tensor<S> x) {
    return x;
}
template <Shape S, Shape M>
constexpr auto masked_sequence(Tensor<S> x, Tensor<M> mask) {
    return where(reshape<batch, S[1], 1>(mask), x, 0.0);
}

}  // namespace sigma::detail
