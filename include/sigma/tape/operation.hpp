// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

namespace sigma {

/// What a node of the tape does. The order matters: the predicates below test ranges.
enum class Operation : std::uint8_t {
    // leaves
    input, parameter, state, constant,
    iota,               ///< position along one axis
    uniform,            ///< random numbers in [0, 1), one stream a node
    reciprocal_batch,   ///< 1 / number of records of this step
    // element by element, one operand
    copy, expand, stop_gradient, negate, absolute, sign, exp, log, log1p, expm1, sqrt, rsqrt, tanh, sigmoid, sin, cos,
    // two operands, broadcast
    add, subtract, multiply, divide, power, maximum, minimum, less, less_equal, equal,
    // three operands, broadcast
    where,
    // reductions; the node's shape has extent 1 where the operand was reduced
    sum, reduce_maximum, reduce_minimum, argmax,
    // movement
    reshape, permute, slice, pad, concatenate,
    // matrix products: rows of the first operand over all its leading axes, or one product per leading index
    dot, transposed_dot,
    // loops over time; see `scan`
    step,     ///< what a loop reads of a tensor (batch, time, …) at its present position
    carry,    ///< what the step before has left; at first the operand
    stack,    ///< a value of the loop at every position, (batch, time, …)
    advance,  ///< at the end of a step the first operand, a carry, becomes the second
    // images (see geometry.hpp): a convolution and its two adjoints; the greatest of each window and its two adjoints
    convolve, convolve_input, convolve_weights, pool_max, unpool, pool_select,
    // rows of a table by number, and the adjoint
    gather, scatter_add,
    // effects
    assign,
    // of plans, never on a tape: a·b + c, a·b - c, c - a·b; see plan/contract.hpp
    multiply_add, multiply_subtract, subtract_product,
};

constexpr bool is_leaf(Operation o) { return o <= Operation::reciprocal_batch; }
constexpr bool is_unary(Operation o) { return o >= Operation::copy && o <= Operation::cos; }
constexpr bool is_binary(Operation o) { return o >= Operation::add && o <= Operation::equal; }
constexpr bool is_map(Operation o) { return o >= Operation::copy && o <= Operation::where; }
constexpr bool is_reduction(Operation o) { return o >= Operation::sum && o <= Operation::reduce_minimum; }
constexpr bool is_movement(Operation o) { return o >= Operation::permute && o <= Operation::concatenate; }
constexpr bool is_product(Operation o) { return o >= Operation::dot && o <= Operation::transposed_dot; }
constexpr bool is_loop_value(Operation o) { return o >= Operation::step && o <= Operation::stack; }
constexpr bool is_convolution(Operation o) { return o >= Operation::convolve && o <= Operation::convolve_weights; }
constexpr bool is_pooling(Operation o) { return o >= Operation::pool_max && o <= Operation::pool_select; }
constexpr bool is_lookup(Operation o) { return o >= Operation::gather && o <= Operation::scatter_add; }
constexpr bool is_commutative(Operation o) {
    return o == Operation::add || o == Operation::multiply || o == Operation::maximum || o == Operation::minimum ||
           o == Operation::equal;
}
/// Worth a memory access rather than a second evaluation.
constexpr bool is_costly(Operation o) {
    return (o >= Operation::exp && o <= Operation::cos) || o == Operation::divide || o == Operation::power;
}

constexpr const char* name(Operation o) {
    constexpr const char* names[] = {
        "input", "parameter", "state", "constant", "iota", "uniform", "reciprocal_batch",
        "copy", "expand", "stop_gradient", "negate", "absolute", "sign", "exp", "log", "log1p", "expm1", "sqrt",
        "rsqrt", "tanh", "sigmoid", "sin", "cos",
        "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "less", "less_equal", "equal",
        "where",
        "sum", "reduce_maximum", "reduce_minimum", "argmax",
        "reshape", "permute", "slice", "pad", "concatenate",
        "dot", "transposed_dot",
        "step", "carry", "stack", "advance",
        "convolve", "convolve_input", "convolve_weights", "pool_max", "unpool", "pool_select", "gather", "scatter_add",
        "assign", "multiply_add", "multiply_subtract", "subtract_product"};
    return names[static_cast<int>(o)];
}

}  // namespace sigma
