// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

namespace detail {
/// Throws ArgumentError unless 0 ≤ share < 1.
double checked_share(double share);
}  // namespace detail

/// Exponential moving average: m ← share · m + (1 − share) · x, divided by 1 − shareᵗ after t values, so that it does
/// not begin near 0 (Kingma and Ba 2015, "Adam"). Throws ArgumentError unless 0 ≤ share < 1.
template <AnyValue V>
auto smoothed(const V& v, double share) {
    return Accumulated<V, detail::Accumulating::smoothed>(v, 0, detail::checked_share(share));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/smoothed.ipp>
#endif
