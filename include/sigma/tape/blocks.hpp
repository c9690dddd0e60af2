// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/variable.hpp>

/// Operations of whole blocks, each for itself: of the last axis, or of the last two. Other axes broadcast.
namespace sigma {

namespace detail {

/// The leading axes of all operands together, then those of the result's block.
constexpr Variable block(Operation o, const Shape& block, Variable a, Variable b = {}, Variable c = {},
                         bool option = false) {
    const int own = block_rank(o);
    const auto leading = [&](Variable x) {
        Shape s = x.shape().rank > own ? x.shape() : Shape{}.aligned(own);
        s.rank -= own;
        return s;
    };
    Shape s = leading(a);
    for (Variable x : {b, c})
        if (x.id >= 0) s = broadcast(s, leading(x));
    for (int i = 0; i < own; ++i) s.extent[s.rank++] = block[i];
    return {a.tape, a.tape->put({o, a.id, b.id, c.id, s, 0, option ? 1u : 0u})};
}
constexpr int rows_of(Variable x) { return x.shape()[x.shape().rank - 2]; }

}  // namespace detail

/// Along the last axis y[i] = a[i]·y[i-1] + b[i] from y[0] = b[0] on, or, transposed, y[i] = a[i+1]·y[i+1] + b[i] from
/// the last: the solution of a bidiagonal system, and of the transposed one. All axes of `a` and `b` broadcast.
constexpr Variable linear_recurrence(Variable a, Variable b, bool transposed) {
    detail::drop_expands(a, b);
    const int n = detail::broadcast(a.shape().last(), b.shape().last());
    return detail::block(detail::Operation::linear_recurrence, Shape(n), a, b, {}, transposed);
}

namespace detail {

/// `x` one later along the last axis, 0 first.
constexpr Variable delayed(Variable x) {
    const int axis = x.shape().rank - 1, n = x.shape().last();
    if (n == 1) return expand(constant(x.tape, 0), x.shape());
    return pad(slice(x, axis, 0, n - 1), axis, 1, n);
}

}  // namespace detail

/// Where the first `count` elements of the last axis in order stand. NaN counts as greatest.
constexpr Variable argsort(Variable x, int count, bool descending) {
    return detail::block(detail::Operation::argsort, Shape(count), x, {}, {}, descending);
}

namespace detail {

/// The elements of the last axis at some positions; NaN where there is no such position.
constexpr Variable gather_along(Variable x, Variable positions) {
    return detail::block(Operation::gather_along, Shape(positions.shape().last()), x, positions);
}
/// Sums at some positions of a last axis of n zeros; what has no position is left out.
constexpr Variable scatter_add_along(Variable x, Variable positions, int n) {
    return detail::block(Operation::scatter_add_along, Shape(n), x, positions);
}

/// The factors of a matrix (n, n), for the functions below; its gradient is theirs.
constexpr Variable lu(Variable a) {
    const int n = a.shape().last();
    return detail::block(Operation::lu, Shape(n, n + 1), a);
}

}  // namespace detail

/// (n, n) and (n, m) -> (n, m), x of a·x = b or of aᵀ·x = b.
constexpr Variable solve(Variable a, Variable b, Variable factors, bool transposed) {
    return detail::block(detail::Operation::solve, Shape(detail::rows_of(b), b.shape().last()), a, b, factors,
                         transposed);
}
/// (n, n) -> (1, 1)
constexpr Variable determinant(Variable a, Variable factors) {
    return detail::block(detail::Operation::determinant, Shape(1, 1), a, factors);
}

namespace detail {

/// (n, n) -> (n, n), the derivatives of the determinant.
constexpr Variable cofactors(Variable a, Variable factors) {
    return detail::block(Operation::cofactors, Shape(a.shape().last(), a.shape().last()), a, factors);
}

/// (n, n) -> (1, 1), log |determinant|, or the sign of the determinant.
constexpr Variable log_determinant(Variable a, Variable factors, bool sign) {
    return block(Operation::log_determinant, Shape(1, 1), a, factors, {}, sign);
}
/// n rows and columns, 1 where they are equal.
constexpr Variable identity_matrix(Tape* tape, int n) {
    const Variable i{tape, tape->put({Operation::iota, -1, -1, -1, Shape{n}})};
    return equal(reshape(i, Shape{n, 1}), i);
}

}  // namespace detail

}  // namespace sigma
