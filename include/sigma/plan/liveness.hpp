// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/pass_input.hpp>

namespace sigma::detail {

/// Of each node.
struct Liveness {
    List<char> live{};       ///< is it computed at all? The rest is dead code
    List<char> in_memory{};  ///< must it be in memory, for what it is or for who reads it?
    List<int> uses{};        ///< how often is it read?
};

/// First pass.
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
        if (o == Operation::advance) result.in_memory[x.b] = 1;  // computed before any carry goes on
        const bool leaf = is_leaf(o) && o != Operation::constant;
        if (from_memory || leaf || is_loop_value(o)) result.in_memory[i] = 1;
    };
    for (const Variable& v : in.program.outputs) result.live[v.id] = result.in_memory[v.id] = 1, ++result.uses[v.id];
    for (const Variable& v : in.program.assignments) result.live[v.id] = 1;
    List<char> done(n, 0);
    for (bool again = true; again;) {  // a carry that is read makes what it becomes live, and all that this needs
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
