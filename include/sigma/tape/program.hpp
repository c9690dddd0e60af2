// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/tape/variable.hpp>

namespace sigma::detail {

/// What is to be executed: a tape, the values that leave it and the assignments it makes.
struct Program {
    Tape tape{};
    List<Variable> outputs{};
    List<Variable> assignments{};  ///< nodes of operation `assign`
    /// Never run by several threads: sums over the batch may join kernels that otherwise go record by record.
    bool sequential = false;
};

}  // namespace sigma::detail
