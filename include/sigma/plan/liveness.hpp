// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/loops.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

/// The adjacent axes that a reduction removes.
struct ReducedAxes {
    int begin = 0, end = 0;
    bool trailing = false;
};

/// A program as the input of the passes from tape to plan.
struct PassInput {
    const Program& program;
    int lanes;  ///< number of elements in a vector of the device
    // Direct access for all passes, since constant evaluation pays for each nested call.
    const Node* nodes = program.tape.begin();
    int count = program.tape.size();
    LoopMembers loops{program.tape};

    constexpr const Node& at(int i) const { return nodes[i]; }
    constexpr int size() const { return count; }
    /// Returns the loop over time that computes node `i`, or -1.
    constexpr int loop_around(int i) const { return loops.computed_in(program.tape, i); }

    template <class F>
    static constexpr void for_each_operand(const Node& n, F f) {
        if (n.a >= 0) f(n.a);
        if (n.b >= 0) f(n.b);
        if (n.c >= 0) f(n.c);
    }
    /// Returns the node that is stored for node `i`: its operand if the node names a place instead of a computation.
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

/// The use of each node.
struct Liveness {
    List<char> live{};       ///< nonzero if the node is computed; all others are dead code
    List<char> in_memory{};  ///< nonzero if the node or a reader of it needs memory
    List<int> uses{};        ///< number of reads
};

/// First pass: finds the nodes that are needed.
constexpr Liveness find_liveness(const PassInput& in) {
    const int n = in.size();
    Liveness result{List<char>(n, 0), List<char>(n, 0), List<int>(n, 0)};
    const auto mark_operands = [&](int i) {
        const Node& x = in.at(i);
        const Operation o = x.operation;
        const bool from_memory = is_product(o) || is_movement(o) || o == Operation::reshape || o == Operation::argmax ||
                                 is_convolution(o) || is_pooling(o) || is_lookup(o) || is_block(o) ||
                                 o == Operation::step || (o == Operation::stack && is_moved_stack(x));
        PassInput::for_each_operand(x, [&](int operand) {
            result.live[operand] = 1;
            ++result.uses[operand];
            if (from_memory) result.in_memory[operand] = 1;
        });
        if (o == Operation::advance) result.in_memory[x.b] = 1;  // computed before any carry advances
        const bool leaf = is_leaf(o) && o != Operation::constant;
        if (from_memory || leaf || is_loop_value(o)) result.in_memory[i] = 1;
    };
    for (const Variable& v : in.program.outputs) result.live[v.id] = result.in_memory[v.id] = 1, ++result.uses[v.id];
    for (const Variable& v : in.program.assignments) result.live[v.id] = 1;
    List<char> done(n, 0);
    for (bool again = true; again;) {  // a live carry makes its next value live, and the operands of that
        again = false;
        for (int i = n - 1; i >= 0; --i) {
            if (!result.live[i] || done[i]) continue;
            mark_operands(i);
            done[i] = 1;
        }
        for (int i = 0; i < n && in.loops.count() > 0; ++i)
            if (in.at(i).operation == Operation::advance && result.live[in.at(i).a] && !result.live[i])
                result.live[i] = again = true;
    }
    return result;
}

}  // namespace sigma::detail
