// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

namespace sigma::detail {

/// Returns whether a node is a stack of single numbers, which is written element by element: it has no vectors.
constexpr bool is_moved_stack(const Node& n) { return n.shape.without(1).without(0).count() == 1; }

/// The nodes of a tape that belong to its loops.
class LoopMembers {
public:
    constexpr explicit LoopMembers(const Tape& tape)
        : member_(tape.loops().empty() ? 0 : tape.size(), -1), last_(tape.loops().size(), -1) {
        if (tape.loops().empty()) return;
        for (int i = 0; i < tape.size(); ++i) {
            const Node& n = tape[i];
            int& loop = member_[i];
            if (n.operation == Operation::step || n.operation == Operation::carry) {
                if (of(n.a) >= 0) throw "a scan inside the step of another scan";
                loop = loop_of(n);
            } else if (n.operation != Operation::stack && n.operation != Operation::advance) {
                for (int o : {n.a, n.b, n.c}) {
                    if (o < 0 || member_[o] < 0) continue;
                    if (loop >= 0 && loop != member_[o]) throw "values of two scans meet inside their steps";
                    loop = member_[o];
                }
                if (loop >= 0 && n.shape.batch_axis() != 0) throw "inside a scan every value keeps the batch first";
            }
            if (loop >= 0) last_[loop] = i;
        }
    }
    /// Returns the loop of which node `i` is a value at one position, or -1.
    constexpr int of(int i) const { return member_.empty() ? -1 : member_[i]; }
    /// Returns the loop in which node `i` is computed. Stacks are included; carries get their first value before.
    constexpr int computed_in(const Tape& tape, int i) const {
        if (member_.empty()) return -1;
        const Operation o = tape[i].operation;
        return o == Operation::carry ? -1 : o == Operation::stack || o == Operation::advance ? loop_of(tape[i]) : of(i);
    }
    /// Returns the last node of a loop. Values from outside come before it, and readers of its stacks after it.
    constexpr int last(int loop) const { return last_[loop]; }
    constexpr int count() const { return last_.size(); }

private:
    List<int> member_, last_;
};

}  // namespace sigma::detail
