// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/tape/variable.hpp>

#include <cstdint>

namespace sigma::detail {

/// A program to run: a tape, the values that leave it, and its assignments.
struct Program {
    Tape tape{};
    List<Variable> outputs{};
    List<Variable> assignments{};  ///< nodes of operation `assign`
                                   /// True if several threads never run it: sums over the batch may join kernels that
                                   /// otherwise go record by record.
    bool sequential = false;
};

/// Adds `v` to the results. An input of the program, or a value that leaves it twice, leaves it as a copy.
constexpr void add_output(Program& p, Variable v) {
    const Operation o = v.operation();
    bool own = !is_leaf(o) && o != Operation::reshape && o != Operation::stop_gradient;
    for (const Variable& other : p.outputs) own = own && !other.same(v);
    p.outputs.push(own ? v : copy(v));
}
constexpr Variable input(Program& p, const Shape& s, int number) {
    return {&p.tape, p.tape.leaf(Operation::input, s, static_cast<std::uint64_t>(number))};
}

}  // namespace sigma::detail
