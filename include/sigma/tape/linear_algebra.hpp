// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/movement.hpp>

/// Tensor language: systems of linear equations, by Gaussian elimination with pivots, for each matrix by itself. Meant
/// for small ones. Where a matrix is singular the result is infinite or NaN.
namespace sigma {

inline constexpr Fault error_matrix_must_be_square{"a matrix must be square"},
    error_solve_shapes_do_not_fit{"solve: shapes do not fit"};

namespace detail {

constexpr bool is_square(const Shape& s) { return s.rank >= 2 && s.last() > 0 && s[s.rank - 2] == s.last(); }
constexpr Shape axes_before(const Shape& s, int own) {
    Shape r;
    for (int i = 0; i < s.rank - own; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// (…, n) counts as one column where the matrix has one axis more.
constexpr bool is_vector(const Shape& a, const Shape& b) { return b.rank + 1 == a.rank; }
constexpr bool solvable(const Shape& a, const Shape& b) {
    const int own = is_vector(a, b) ? 1 : 2;
    return b.rank >= own && b.last() > 0 && b[b.rank - own] == a.last() &&
           broadcastable(axes_before(a, 2), axes_before(b, own)) &&
           broadcast(axes_before(a, 2), axes_before(b, own)).rank + 2 <= max_rank &&
           one_batch_axis(broadcast(axes_before(a, 2), axes_before(b, own)));
}
constexpr Shape solution(const Shape& a, const Shape& b) {
    const int own = is_vector(a, b) ? 1 : 2;
    Shape s = broadcast(axes_before(a, 2), axes_before(b, own));
    for (int i = b.rank - own; i < b.rank; ++i) s.extent[s.rank++] = b[i];
    return s;
}

constexpr bool square_matrix(At a) {
    if (is_square(a.shape())) return true;
    a.refused(error_matrix_must_be_square, {shape_of_x, a.shape()});
    return false;
}

}  // namespace detail

/// x of a·x = b: (…, n, n) and (…, n, m) -> (…, n, m), or (…, n) -> (…, n). Other axes broadcast.
constexpr Tensor solve(detail::At a, Tensor b) {
    if (!detail::square_matrix(a)) return a;
    const Shape s = a.shape(), t = b.shape();
    if (!detail::solvable(s, t)) return a.refused(error_solve_shapes_do_not_fit, {shape_of_x, s}, {shape_of_y, t});
    const Variable columns = detail::is_vector(s, t) ? reshape(b.variable, t.inserted(t.rank, 1)) : b.variable;
    const Variable factors = detail::lu(a.variable);
    return {reshape(solve(a.variable, columns, factors, false), detail::solution(s, t))};
}

/// (…, n, n) -> (…, n, n). For one system of equations `solve` is better.
constexpr Tensor inverse(detail::At a) {
    if (!detail::square_matrix(a)) return a;
    const Variable unit = detail::identity_matrix(a.variable.tape, a.shape().last());
    const Variable factors = detail::lu(a.variable);
    return {solve(a.variable, unit, factors, false)};
}

/// (…, n, n) -> (…). Its gradient is right for singular matrices too, its second derivatives are not found there.
constexpr Tensor determinant(detail::At a) {
    if (!detail::square_matrix(a)) return a;
    const Variable factors = detail::lu(a.variable);
    return {reshape(determinant(a.variable, factors), detail::axes_before(a.shape(), 2))};
}

struct SignAndLogarithm {
    Tensor sign, logarithm;
};

/// auto [sign, logarithm] = slogdet(a): sign · exp(logarithm) is the determinant, which may itself be beyond the
/// numbers or vanish. Of a singular matrix 0 and -∞. The gradient of the logarithm is the transposed inverse.
constexpr SignAndLogarithm slogdet(detail::At a) {
    if (!detail::square_matrix(a)) return {a, a};
    const Variable factors = detail::lu(a.variable);
    const Shape s = detail::axes_before(a.shape(), 2);
    const Tensor sign{reshape(detail::log_determinant(a.variable, factors, true), s)};
    return {sign, {reshape(detail::log_determinant(a.variable, factors, false), s)}};
}

}  // namespace sigma
