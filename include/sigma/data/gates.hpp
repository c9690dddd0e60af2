// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset_of.hpp>

#include <utility>

namespace sigma::data {

/// Two inputs and one target, (4, 2) and (4, 1).
using Gate = Supervised<Extents<2>, Extents<1>>;

namespace detail {

inline Gate gate(Numbers answers, const char* name) {
    return Gate(Dataset(Numbers{{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, std::move(answers), name));
}

}  // namespace detail

/// Exclusive or: the four records (0, 0) to (1, 1) and whether one of their numbers is 1, but not both.
inline Gate xor_gate() { return detail::gate({{4, 1}, {0, 1, 1, 0}}, "xor"); }

/// And: whether both are 1.
inline Gate and_gate() { return detail::gate({{4, 1}, {0, 0, 0, 1}}, "and"); }

}  // namespace sigma::data
