// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/variable.hpp>

// Operations of whole blocks: of the last axis, or of the last two, each block by itself. Other axes broadcast.
namespace sigma {

namespace detail {

/// Returns the axes before a block of this rank.
constexpr Shape axes_before(const Shape& s, int own) {
    Shape r;
    for (int i = 0; i < s.rank - own; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// Returns the shape of a block: the last axes, as many as there are.
constexpr Shape block_of(const Shape& s, int own) {
    Shape r;
    for (int i = s.rank < own ? 0 : s.rank - own; i < s.rank; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// Returns whether it is the shape of a block, without the batch.
constexpr bool is_block_shape(const Shape& s, int own) {
    for (int i = 0; i < s.rank; ++i)
        if (s[i] < 1) return false;
    return s.rank == own;
}
/// Emits an operation on blocks. The shape is the leading axes of all operands, then those of the result's block.
constexpr Variable block(Operation o, const Shape& block, Variable a, Variable b = {}, Variable c = {},
                         std::uint64_t attribute = 0) {
    const int own = block_rank(o);
    Shape s = axes_before(a.shape(), own);
    for (Variable x : {b, c})
        if (x.id >= 0) s = broadcast(s, axes_before(x.shape(), own));
    for (int i = 0; i < own; ++i) s.extent[s.rank++] = block[i];
    return {a.tape, a.tape->put({o, a.id, b.id, c.id, s, 0, attribute})};
}
constexpr int rows_of(Variable x) { return x.shape()[x.shape().rank - 2]; }

}  // namespace detail

/// @cond internal
/// Solves y[i] = a[i]·y[i-1] + b[i], y[0] = b[0], along the last axis: a bidiagonal system. Transposed, it solves
/// y[i] = a[i+1]·y[i+1] + b[i] from the last element. All axes of `a` and `b` broadcast.
constexpr Variable linear_recurrence(Variable a, Variable b, bool transposed) {
    detail::drop_expands(a, b);
    const int n = detail::broadcast(a.shape().last(), b.shape().last());
    return detail::block(detail::Operation::linear_recurrence, Shape(n), a, b, {}, transposed);
}
/// @endcond

namespace detail {

/// Returns x one later along the last axis, with 0 first.
constexpr Variable delayed(Variable x) {
    const int axis = x.shape().rank - 1, n = x.shape().last();
    if (n == 1) return expand(constant(x.tape, 0), x.shape());
    return pad(slice(x, axis, 0, n - 1), axis, 1, n);
}

}  // namespace detail

/// @cond internal
/// Returns the positions of the first `count` elements of the last axis in order. NaN counts as greatest.
constexpr Variable argsort(Variable x, int count, bool descending) {
    return detail::block(detail::Operation::argsort, Shape(count), x, {}, {}, descending);
}
/// @endcond

namespace detail {

/// Returns the elements of the last axis at some positions; NaN for a position that does not exist.
constexpr Variable gather_along(Variable x, Variable positions) {
    return detail::block(Operation::gather_along, Shape(positions.shape().last()), x, positions);
}
/// Returns sums at some positions of a last axis of n zeros. Elements with a position that does not exist are left out.
constexpr Variable scatter_add_along(Variable x, Variable positions, int n) {
    return detail::block(Operation::scatter_add_along, Shape(n), x, positions);
}

/// Returns the factors of a matrix (n, n), for the functions below, which have the gradients.
constexpr Variable lu(Variable a) {
    const int n = a.shape().last();
    return detail::block(Operation::lu, Shape(n, n + 1), a);
}

}  // namespace detail

/// @cond internal
/// Solves a·x = b or aᵀ·x = b: (n, n) and (n, m) -> (n, m).
constexpr Variable solve(Variable a, Variable b, Variable factors, bool transposed) {
    return detail::block(detail::Operation::solve, Shape(detail::rows_of(b), b.shape().last()), a, b, factors,
                         transposed);
}
/// Returns the determinant: (n, n) -> (1, 1).
constexpr Variable determinant(Variable a, Variable factors) {
    return detail::block(detail::Operation::determinant, Shape(1, 1), a, factors);
}
/// @endcond

namespace detail {

/// Returns the derivatives of the determinant: (n, n) -> (n, n).
constexpr Variable cofactors(Variable a, Variable factors) {
    return detail::block(Operation::cofactors, Shape(a.shape().last(), a.shape().last()), a, factors);
}

/// Returns log |determinant|, or the sign of the determinant: (n, n) -> (1, 1).
constexpr Variable log_determinant(Variable a, Variable factors, bool sign) {
    return block(Operation::log_determinant, Shape(1, 1), a, factors, {}, sign);
}
/// Returns the identity matrix of n rows and columns.
constexpr Variable identity_matrix(Tape* tape, int n) {
    const Variable i{tape, tape->put({Operation::iota, -1, -1, -1, Shape{n}})};
    return equal(reshape(i, Shape{n, 1}), i);
}

}  // namespace detail

}  // namespace sigma
