// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/loops.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

/// The run of axes that a reduction takes away.
struct ReducedAxes {
    int begin = 0, end = 0;
    bool trailing = false;
};

/// A program as the passes between tape and plan read it.
struct PassInput {
    const Program& program;
    int lanes;  ///< elements of a vector of the device
    // What every pass asks for most: without calls of calls, which constant evaluation pays one by one.
    const Node* nodes = program.tape.begin();
    int count = program.tape.size();
    LoopMembers loops{program.tape};

    constexpr const Node& at(int i) const { return nodes[i]; }
    constexpr int size() const { return count; }
    /// The loop among whose steps node `i` is computed, or -1.
    constexpr int loop_around(int i) const { return loops.computed_in(program.tape, i); }

    template <class F>
    static constexpr void for_each_operand(const Node& n, F f) {
        if (n.a >= 0) f(n.a);
        if (n.b >= 0) f(n.b);
        if (n.c >= 0) f(n.c);
    }
    /// What is stored when node `i` is: for nodes that name a place rather than a computation, their operand.
    constexpr int source_of(int i) const {
        const Node& n = at(i);
        switch (n.operation) {
            case Operation::assign:
            case Operation::advance: return n.b;
            case Operation::carry:
            case Operation::stack: return n.a;
            default: return i;
        }
    }
    constexpr ReducedAxes run_of(const Node& reduction) const {
        const Shape& from = at(reduction.a).shape;
        ReducedAxes r{-1, 0, true};
        for (int i = 0; i < from.rank; ++i) {
            if (from[i] == reduction.shape[i]) continue;
            if (r.begin < 0) r.begin = i;
            r.end = i + 1;
        }
        for (int i = r.end; i < from.rank; ++i) r.trailing = r.trailing && from[i] == 1;
        return r;
    }
};

}  // namespace sigma::detail
