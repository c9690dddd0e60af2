// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

#include <string>

/// Whether a tape that somebody else has written is one: a wrong shape would be a read beyond an end.
namespace sigma::detail {

/// Empty, or what is wrong with a node that is to follow those of a tape: "(batch, 10) as the sum of (batch, 3) and 7".
std::string wrong_node(const Tape& tape, const Node& n);
/// The same of all loops together.
std::string wrong_loops(const Tape& tape);

}  // namespace sigma::detail
