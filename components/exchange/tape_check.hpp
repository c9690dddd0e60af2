// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

#include <string>

// Checks of tapes from files: a wrong shape would lead to reads out of bounds.
namespace sigma::detail {

/// Returns the fault of a node that follows those of a tape, such as "(batch, 10) as the sum of (batch, 3) and 7", or
/// "".
std::string wrong_node(const Tape& tape, const Node& n);
/// Returns the fault of the loops of a tape, or "".
std::string wrong_loops(const Tape& tape);

}  // namespace sigma::detail
