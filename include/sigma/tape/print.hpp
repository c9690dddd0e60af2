// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/program.hpp>

#include <string>

namespace sigma::detail {

/// Returns "(batch, 28, 28)". An extent -k is written "k*batch".
std::string to_text(const Shape& s);

/// Returns the operands: "(%5, %6)", " 0.5", "(%3, axis 1, 2..5)".
std::string operands_text(const Tape& tape, const Node& n);

/// Returns the name of the operation; for a custom operation that of its struct, or "gradient of NAME".
std::string operation_name(const Node& n);

/// Returns a node: "%7 (batch, 128) = maximum(%5, %6)".
std::string to_text(const Tape& tape, int i);

/// Returns a tape, one node a line.
std::string to_text(const Tape& tape);

/// Returns a tape, its outputs and its assignments.
std::string to_text(const Program& program);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/tape/impl/print.ipp>
#endif
