// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/emit_again.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

/// Returns a program in which copies are the values that they copy, so that equal values are computed once. Derivatives
/// within functions copy their arguments, which are then different nodes from equal values. A program with loops is
/// returned as it is: there, copies keep values that are about to change.
constexpr Program without_copies(Program p) {
    const Tape& tape = p.tape;
    bool copies = false;
    for (const Node& n : tape) copies = copies || n.operation == Operation::copy;
    if (!copies || tape.loops().size() > 0 || p.assignments.size() > 0) return p;
    List<char> live(tape.size(), 0);
    for (const Variable& v : p.outputs) live[v.id] = 1;
    for (int i = tape.size() - 1; i >= 0; --i)
        for (int k = 0; k < 3 && live[i]; ++k)
            if (tape[i].operand(k) >= 0) live[tape[i].operand(k)] = 1;
    Program result;
    result.sequential = p.sequential;
    List<int> moved(tape.size(), -1);
    for (int i = 0; i < tape.size(); ++i) {
        const Node& n = tape[i];
        if (n.operation == Operation::copy) moved[i] = moved[n.a];
        else if (live[i] || n.operation == Operation::input)
            moved[i] = emit_again(n, result.tape, [&](int operand) { return moved[operand]; }).id;
    }
    for (const Variable& v : p.outputs) add_output(result, {&result.tape, moved[v.id]});
    return result;
}

}  // namespace sigma::detail
