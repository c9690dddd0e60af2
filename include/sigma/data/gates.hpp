// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset_of.hpp>

namespace sigma::data {

/// Two inputs and one target, (4, 2) and (4, 1).
using Gate = Supervised<Extents<2>, Extents<1>>;

namespace detail {

Gate gate(Numbers answers, const char* name);

}  // namespace detail

/// Exclusive or: the four records (0, 0) to (1, 1) and whether one of their numbers is 1, but not both.
Gate xor_gate();

/// And: whether both are 1.
Gate and_gate();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/gates.ipp>
#endif
