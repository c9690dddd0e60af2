// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Logic gates as tiny data sets: `xor_gate`, `and_gate`. Include it yourself.

#include <sigma/data/pipeline/dataset_of.hpp>

#include <utility>

namespace sigma::data {

/// A dataset of a logic gate: two inputs and one target, (4, 2) and (4, 1).
///
/// @see xor_gate, and_gate
using Gate = Supervised<Extents<2>, Extents<1>>;

namespace detail {

inline Gate gate(Numbers answers, const char* name) {
    return Gate(Dataset(Numbers{{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, std::move(answers), name));
}

}  // namespace detail

/// Returns the gate XOR: the records (0, 0), (0, 1), (1, 0), (1, 1), and 1 if exactly one of their numbers is 1.
///
/// @return the dataset: inputs (2), targets (1)
///
/// @see and_gate
inline Gate xor_gate() { return detail::gate({{4, 1}, {0, 1, 1, 0}}, "xor"); }

/// Returns the gate AND: the records (0, 0), (0, 1), (1, 0), (1, 1), and 1 if both of their numbers are 1.
///
/// @return the dataset: inputs (2), targets (1)
///
/// @see xor_gate
inline Gate and_gate() { return detail::gate({{4, 1}, {0, 0, 0, 1}}, "and"); }

}  // namespace sigma::data
