// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

// Every operation of a node of the tape, stated once. An elementwise operation has a kind, which determines its
// operands, a cost, its value, and the gradients of its operands. The value is an expression of the operands a, b and
// c, numbers of a type V: C++ for scalars and vectors, and text for a GPU. It may use functions that every device has
// for its numbers (device/cpu/math.hpp) and tape/formulas.hpp. A gradient is an expression over variables, of the
// gradient d of the result, the result y and the operands. A unary operation has one, a binary one two, and a ternary
// one (its first operand is a condition) two; other operations have none. Other gradients, and helpers of these, are in
// tape/adjoint.hpp.
//   OTHER(name, kind)
//   OPERATOR(name, kind, cost, value, gradients…)   functions on variables and tensors know identities: by hand
//   FUNCTION(name, kind, cost, value, gradients…)   functions on variables and tensors are made from this row
#define SIGMA_OPERATIONS(OTHER, OPERATOR, FUNCTION)                                                                    \
    OTHER(input, leaf)                                                                                                 \
    OTHER(parameter, leaf)                                                                                             \
    OTHER(state, leaf)                                                                                                 \
    OTHER(constant, leaf)                                                                                              \
    OTHER(iota, leaf)             /* position along one axis */                                                        \
    OTHER(uniform, leaf)          /* random numbers in [0, 1), one stream a node */                                    \
    OTHER(reciprocal_batch, leaf) /* 1 / number of records of this step */                                             \
                                                                                                                       \
    OPERATOR(copy, unary, cheap, a, d)                                                                                 \
    OPERATOR(expand, unary, cheap, a, d)                                                                               \
    FUNCTION(stop_gradient, flat, cheap, a) /* the value, through which no gradient passes */                          \
    OPERATOR(negate, unary, cheap, -a, -d)                                                                             \
    OPERATOR(absolute, unary, cheap, abs(a), d* sign(a))                                                               \
    FUNCTION(sign, flat, cheap, select(a > V(0), V(1), select(a < V(0), V(-1), a)))                                    \
    FUNCTION(exp, unary, function, exp(a), d* y)                                                                       \
    FUNCTION(log, unary, function, log(a), d / a)                                                                      \
    FUNCTION(log1p, unary, function, log1p(a), d / (1.0 + a))                                                          \
    FUNCTION(expm1, unary, function, expm1(a), d * (1.0 + y))                                                          \
    FUNCTION(sqrt, unary, slow, sqrt(a), 0.5 * (d / y))                                                                \
    FUNCTION(rsqrt, unary, slow, V(1) / sqrt(a), -0.5 * (d * (y * y * y)))                                             \
    FUNCTION(tanh, unary, function, tanh(a), d * (1.0 - y * y))                                                        \
    FUNCTION(sigmoid, unary, function, sigmoid(a), d*(y * (1.0 - y)))                                                  \
    FUNCTION(sin, unary, function, sin(a), d* cos(a))                                                                  \
    FUNCTION(cos, unary, function, cos(a), -(d * sin(a)))                                                              \
    FUNCTION(tan, unary, function, sin(a) / cos(a), d * (1.0 + y * y))                                                 \
    FUNCTION(asin, unary, function, arctangent(a / sqrt((V(1) - a) * (V(1) + a))), d* rsqrt(1.0 - a * a))              \
    FUNCTION(acos, unary, function, V(2) * arctangent(sqrt((V(1) - a) / (V(1) + a))), -(d * rsqrt(1.0 - a * a)))       \
    FUNCTION(atan, unary, function, arctangent(a), d / (1.0 + a * a))                                                  \
    FUNCTION(erf, unary, function, error_function(a), d * (1.1283791670955126 * exp(-(a * a))))                        \
    FUNCTION(floor, flat, function, round_down(a))                                                                     \
    FUNCTION(round, flat, function, round_to_even(a)) /* halves to the even neighbour, as NumPy */                     \
                                                                                                                       \
    OPERATOR(add, binary, cheap, a + b, d, d)                                                                          \
    OPERATOR(subtract, binary, cheap, a - b, d, -d)                                                                    \
    OPERATOR(multiply, binary, cheap, a* b, d* b, d* a)                                                                \
    OPERATOR(divide, binary, slow, a / b, d / b, -(d * y / b))                                                         \
    OPERATOR(power, binary, function, pow(a, b), to_base(), to_exponent())                                             \
    FUNCTION(mod, binary, function, modulus(a, b), d,                                                                  \
             -(d * round((a - y) / b))) /* a - floor(a / b)·b, of the sign of b; 0 has that of a */                    \
    OPERATOR(maximum, binary, cheap, maximum(a, b), to_winner(a, b), to_winner(b, a)) /* NaN if either operand is */   \
    OPERATOR(minimum, binary, cheap, minimum(a, b), to_winner(a, b), to_winner(b, a))                                  \
    OPERATOR(less, comparison, cheap, select(a < b, V(1), V(0)))                                                       \
    OPERATOR(less_equal, comparison, cheap, select(a <= b, V(1), V(0)))                                                \
    OPERATOR(equal, comparison, cheap, select(a == b, V(1), V(0)))                                                     \
    OPERATOR(where, ternary, cheap, select(a != V(0), b, c), where(a, d, zero()), where(a, zero(), d))                 \
    /* of plans, never on a tape; see plan/contract.hpp */                                                             \
    OPERATOR(multiply_add, contraction, cheap, fma(a, b, c))                                                           \
    OPERATOR(multiply_subtract, contraction, cheap, fma(a, b, -c))                                                     \
    OPERATOR(subtract_product, contraction, cheap, fma(-a, b, c))                                                      \
                                                                                                                       \
    /* the node's shape has extent 1 where the operand was reduced */                                                  \
    OTHER(sum, reduction)                                                                                              \
    OTHER(reduce_maximum, reduction)                                                                                   \
    OTHER(reduce_minimum, reduction)                                                                                   \
    OTHER(argmax, position)                                                                                            \
                                                                                                                       \
    OTHER(reshape, view)                                                                                               \
    OTHER(permute, movement)                                                                                           \
    OTHER(slice, movement)                                                                                             \
    OTHER(pad, movement)                                                                                               \
    OTHER(concatenate, movement)                                                                                       \
    /* rows of the first operand over all its leading axes, or one product per leading index */                        \
    OTHER(dot, product)                                                                                                \
    OTHER(transposed_dot, product)                                                                                     \
    /* loops over time; see `scan` */                                                                                  \
    OTHER(step, loop_value)  /* what a loop reads of a tensor (batch, time, …) at its present position */              \
    OTHER(carry, loop_value) /* what the step before has left; at first the operand */                                 \
    OTHER(stack, loop_value) /* a value of the loop at every position, (batch, time, …) */                             \
    OTHER(advance, effect)   /* at the end of a step the first operand, a carry, becomes the second */                 \
    /* images (see geometry.hpp): a convolution and its two adjoints; the greatest of each window and its two adjoints \
     */                                                                                                                \
    OTHER(convolve, convolution)                                                                                       \
    OTHER(convolve_input, convolution)                                                                                 \
    OTHER(convolve_weights, convolution)                                                                               \
    OTHER(pool_max, pooling)                                                                                           \
    OTHER(unpool, pooling)                                                                                             \
    OTHER(pool_select, pooling)                                                                                        \
    /* rows of a table by number, and the adjoint */                                                                   \
    OTHER(gather, lookup)                                                                                              \
    OTHER(scatter_add, lookup)                                                                                         \
    SIGMA_BLOCK_OPERATIONS(OTHER)                                                                                      \
    OTHER(assign, effect)                                                                                              \
    /* rows or matrices computed by functions of the user; see custom_operation.hpp */                                 \
    OTHER(custom_rows, row)                                                                                            \
    OTHER(custom_matrices, matrix)
// clang-format on
#define SIGMA_NO_ROW(...)

// Operations of whole blocks of numbers, each block by itself: of the last axis (row) or the last two (matrix) of
// operands with further axes that broadcast. Their values are the functions of these names in tape/block_formulas.hpp,
// for every device; shapes are in tape/blocks.hpp.
#define SIGMA_BLOCK_OPERATIONS(BLOCK)                                                                                  \
    BLOCK(linear_recurrence, row)  /* y[i] = a[i]·y[i-1] + b[i], y[0] = b[0]; or transposed, from the end */           \
    BLOCK(argsort, row)            /* positions of the first elements in order; or in descending order */              \
    BLOCK(gather_along, row)       /* elements of a at the positions b */                                              \
    BLOCK(scatter_add_along, row)  /* a summed into zeros at the positions b, the adjoint */                           \
    BLOCK(lu, matrix)              /* (n, n+1): L below U, and in the last column with which row each was exchanged */ \
    BLOCK(solve, matrix)           /* x of a·x = b; or of aᵀ·x = b; c holds the factors of a */                        \
    BLOCK(determinant, matrix)     /* of a; b holds its factors */                                                     \
    BLOCK(cofactors, matrix)       /* of a, also where it is singular; b holds its factors */                          \
    BLOCK(log_determinant, matrix) /* log |determinant| of a; or the determinant's sign; b holds the factors of a */

namespace sigma::detail {

#define SIGMA_NAME(name, ...) name,
/// The operation of a node.
enum class Operation : std::uint8_t { SIGMA_OPERATIONS(SIGMA_NAME, SIGMA_NAME, SIGMA_NAME) };
#undef SIGMA_NAME

/// Unary to contraction are elementwise, with broadcast operands; flat is unary, and no gradient passes.
enum class OperationKind : std::uint8_t {
    leaf,
    unary,
    flat,
    binary,
    comparison,
    ternary,
    contraction,
    reduction,
    position,
    view,
    movement,
    product,
    loop_value,
    effect,
    convolution,
    pooling,
    lookup,
    row,
    matrix
};
/// The cost of an operation. A result that is slow or a function is worth a memory access rather than a second
/// evaluation.
enum class OperationCost : std::uint8_t { cheap, slow, function };

struct OperationFacts {
    const char* name;
    OperationKind kind;
    OperationCost cost = OperationCost::cheap;
};

#define SIGMA_OTHER_FACTS(name, kind) {#name, OperationKind::kind},
#define SIGMA_FACTS(name, kind, cost, ...) {#name, OperationKind::kind, OperationCost::cost},
inline constexpr OperationFacts operation_facts[] = {SIGMA_OPERATIONS(SIGMA_OTHER_FACTS, SIGMA_FACTS, SIGMA_FACTS)};
#undef SIGMA_FACTS
#undef SIGMA_OTHER_FACTS

inline constexpr int operation_count = static_cast<int>(Operation::custom_matrices) + 1;
constexpr const OperationFacts& facts(Operation o) { return detail::operation_facts[static_cast<int>(o)]; }
constexpr const char* name(Operation o) { return facts(o).name; }

constexpr bool is_leaf(Operation o) { return facts(o).kind == OperationKind::leaf; }
constexpr bool is_unary(Operation o) {
    return facts(o).kind == OperationKind::unary || facts(o).kind == OperationKind::flat;
}
constexpr bool is_comparison(Operation o) { return facts(o).kind == OperationKind::comparison; }
constexpr bool is_binary(Operation o) { return facts(o).kind == OperationKind::binary || is_comparison(o); }
/// Returns the number of operands of an elementwise operation.
constexpr int operand_count(Operation o) { return is_unary(o) ? 1 : is_binary(o) ? 2 : 3; }
/// Returns whether an operation is elementwise and on a tape.
constexpr bool is_map(Operation o) { return is_unary(o) || is_binary(o) || facts(o).kind == OperationKind::ternary; }
constexpr bool is_reduction(Operation o) { return facts(o).kind == OperationKind::reduction; }
constexpr bool is_movement(Operation o) { return facts(o).kind == OperationKind::movement; }
constexpr bool is_product(Operation o) { return facts(o).kind == OperationKind::product; }
constexpr bool is_loop_value(Operation o) { return facts(o).kind == OperationKind::loop_value; }
constexpr bool is_convolution(Operation o) { return facts(o).kind == OperationKind::convolution; }
constexpr bool is_pooling(Operation o) { return facts(o).kind == OperationKind::pooling; }
constexpr bool is_lookup(Operation o) { return facts(o).kind == OperationKind::lookup; }
constexpr bool is_block(Operation o) {
    return facts(o).kind == OperationKind::row || facts(o).kind == OperationKind::matrix;
}
constexpr bool is_custom(Operation o) { return o == Operation::custom_rows || o == Operation::custom_matrices; }
/// Returns the number of axes of a block.
constexpr int block_rank(Operation o) { return facts(o).kind == OperationKind::row ? 1 : 2; }
constexpr bool is_commutative(Operation o) {
    return o == Operation::add || o == Operation::multiply || o == Operation::maximum || o == Operation::minimum ||
           o == Operation::equal;
}
constexpr bool is_costly(Operation o) { return facts(o).cost != OperationCost::cheap; }
constexpr bool is_function(Operation o) { return facts(o).cost == OperationCost::function; }

}  // namespace sigma::detail
