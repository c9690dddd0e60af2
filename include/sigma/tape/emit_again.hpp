// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/variable.hpp>

namespace sigma::detail {

/// Emits a node of another tape again, by the operators of `variable.hpp`, so that they simplify it. `moved` returns
/// the place of an operand on `tape`. Loops keep their numbers.
constexpr Variable emit_again(const Node& n, Tape& tape, auto moved) {
    const auto operand = [&](int o) { return Variable{&tape, o < 0 ? -1 : moved(o)}; };
    const Variable a = operand(n.a), b = operand(n.b), c = operand(n.c);
    switch (n.operation) {
        case Operation::input:
        case Operation::parameter:
        case Operation::state:
        case Operation::uniform: return {&tape, tape.leaf(n.operation, n.shape, n.attribute)};
        case Operation::constant: return constant(&tape, n.constant);
        case Operation::iota:
        case Operation::reciprocal_batch:
            return {&tape, tape.put({n.operation, -1, -1, -1, n.shape, n.constant, n.attribute})};
        case Operation::copy: return copy(a);
        case Operation::expand: return expand(a, n.shape);
        case Operation::negate: return -a;
        case Operation::log: return log(a);
        case Operation::add: return a + b;
        case Operation::subtract: return a - b;
        case Operation::multiply: return a * b;
        case Operation::divide: return a / b;
        case Operation::power: return pow(a, b);
        case Operation::less: return less(a, b);
        case Operation::less_equal: return less_equal(a, b);
        case Operation::equal: return equal(a, b);
        case Operation::where: return where(a, b, c);
        case Operation::sum:
        case Operation::reduce_maximum:
        case Operation::reduce_minimum: return reduce(n.operation, a, n.shape);
        case Operation::argmax: return argmax(a, static_cast<int>(n.attribute));
        case Operation::reshape: return reshape(a, n.shape);
        case Operation::permute: return permute(a, n.attribute);
        case Operation::slice: return slice(a, axis_of(n), first_of(n), n.shape[axis_of(n)]);
        case Operation::pad: return pad(a, axis_of(n), first_of(n), n.shape[axis_of(n)]);
        case Operation::concatenate: return concatenate(a, b, axis_of(n));
        case Operation::dot:
        case Operation::transposed_dot: return product(n.operation, a, b, n.attribute != 0);
        case Operation::convolve: return convolve(a, b, Convolution::unpacked(n.attribute));
        case Operation::convolve_input: return convolve_input(a, b, n.shape, Convolution::unpacked(n.attribute));
        case Operation::convolve_weights: return convolve_weights(a, b, n.shape, Convolution::unpacked(n.attribute));
        case Operation::pool_max: return pool_max(a, n.shape, Pooling::unpacked(n.attribute));
        case Operation::unpool: return unpool(a, b, c, n.attribute);
        case Operation::pool_select: return pool_select(a, b, c, n.attribute);
        case Operation::gather: return gather(a, b);
        case Operation::scatter_add: return scatter_add(a, b, n.shape[0]);
        case Operation::linear_recurrence: return linear_recurrence(a, b, n.attribute != 0);
        case Operation::argsort: return argsort(a, n.shape.last(), n.attribute != 0);
        case Operation::gather_along: return gather_along(a, b);
        case Operation::scatter_add_along: return scatter_add_along(a, b, n.shape.last());
        case Operation::lu: return lu(a);
        case Operation::solve: return solve(a, b, c, n.attribute != 0);
        case Operation::determinant: return determinant(a, b);
        case Operation::cofactors: return cofactors(a, b);
        case Operation::log_determinant: return log_determinant(a, b, n.attribute != 0);
        case Operation::custom_rows:
        case Operation::custom_matrices:
            return block(n.operation, block_of(n.shape, block_rank(n.operation)), a, b, c, n.attribute);
        case Operation::step: return step(a, loop_of(n));
        case Operation::carry: return carry(a, loop_of(n), static_cast<int>(n.attribute >> 16));
        case Operation::stack: return stack(a, loop_of(n));
        case Operation::advance: advance(a, b); return a;
        case Operation::assign: return {&tape, tape.put({n.operation, a.id, b.id, -1, n.shape})};
        default: break;
    }
    return is_binary(n.operation) ? binary(n.operation, a, b) : unary(n.operation, a);
}

}  // namespace sigma::detail
