// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

#include <vector>

namespace sigma {

/// A random matrix with orthonormal columns, or rows where these are fewer, times `gain` (Saxe et al. 2014, section 3):
/// each such matrix is equally likely. All axes but the last together count as rows. Quadratic in the smaller extent.
constexpr detail::Initializer orthogonal(double gain = 1) {
    return {detail::Initializer::Kind::orthogonal, detail::Initializer::Fan::none, 0, gain};
}

namespace detail {

/// `count` orthonormal vectors of `length`, one after the other: normal ones, from each of which its part along the
/// earlier ones is taken; twice, since once leaves rounding errors (Giraud et al. 2005).
std::vector<double> orthonormal(std::size_t count, std::size_t length, const Philox& random);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/initializer/impl/orthogonal.ipp>
#endif
