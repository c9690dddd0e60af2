// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Linear algebra of small matrices: solve, inverse, determinant, slogdet. Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/movement.hpp>

// Gaussian elimination with pivots, for each matrix by itself. Results for singular matrices are infinite or NaN.
namespace sigma {

inline constexpr Fault error_matrix_must_be_square{"a matrix must be square"},
    error_solve_shapes_do_not_fit{"solve: shapes do not fit"};

namespace detail {

constexpr bool is_square(const Shape& s) { return s.rank >= 2 && s.last() > 0 && s[s.rank - 2] == s.last(); }
/// Returns whether b is a column: (…, n) for a matrix with one axis more.
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

/// Solves a·x = b by Gaussian elimination with pivots, for small matrices. The result for a singular matrix is infinite
/// or NaN.
/// @param a  square matrices (…, n, n)
/// @param b  right-hand sides (…, n, m), or (…, n) for one. Leading axes broadcast.
/// @return x, (…, n, m) or (…, n)
///
/// @par Example
/// @code
/// const auto fitted = [](Tensor x, Tensor y) { return solve(dot(transpose(x), x), dot(transpose(x), y)); };
/// @endcode
///
/// @see inverse
constexpr Tensor solve(detail::At a, Tensor b) {
    if (!detail::square_matrix(a)) return a;
    const Shape s = a.shape(), t = b.shape();
    if (!detail::solvable(s, t)) return a.refused(error_solve_shapes_do_not_fit, {shape_of_x, s}, {shape_of_y, t});
    const Variable columns = detail::is_vector(s, t) ? reshape(b.variable, t.inserted(t.rank, 1)) : b.variable;
    const Variable factors = detail::lu(a.variable);
    return {reshape(solve(a.variable, columns, factors, false), detail::solution(s, t))};
}

/// Returns the inverse of small square matrices. To solve equations, use `solve`.
/// @param a  square matrices (…, n, n)
/// @return (…, n, n), infinite or NaN for a singular matrix
///
/// @par Example
/// @code
/// const auto inverted = [](Tensor a) { return inverse(a); };
/// @endcode
///
/// @see solve
constexpr Tensor inverse(detail::At a) {
    if (!detail::square_matrix(a)) return a;
    const Variable unit = detail::identity_matrix(a.variable.tape, a.shape().last());
    const Variable factors = detail::lu(a.variable);
    return {solve(a.variable, unit, factors, false)};
}

/// Returns the determinant of small square matrices.
///
/// Its gradient is right for singular matrices, too; its second derivatives are not.
/// @param a  square matrices (…, n, n)
/// @return (…)
///
/// @par Example
/// @code
/// const auto volume = [](Tensor a) { return abs(determinant(a)); };
/// @endcode
///
/// @see slogdet
constexpr Tensor determinant(detail::At a) {
    if (!detail::square_matrix(a)) return a;
    const Variable factors = detail::lu(a.variable);
    return {reshape(determinant(a.variable, factors), detail::axes_before(a.shape(), 2))};
}

/// The result of `slogdet`.
///
/// @see slogdet
struct SignAndLogarithm {
    Tensor sign;       ///< Sign of the determinant: -1, 0 or 1.
    Tensor logarithm;  ///< Logarithm of its magnitude; -∞ for a singular matrix.
};

/// Returns sign and logarithm of the determinant, which itself may overflow or vanish: sign · exp(logarithm).
///
/// The gradient of the logarithm is the transposed inverse.
/// @param a  square matrices (…, n, n)
/// @return sign and logarithm, both (…); 0 and -∞ for a singular matrix
///
/// @par Example
/// @code
/// const auto log_volume = [](Tensor a) { return slogdet(a).logarithm; };
/// @endcode
///
/// @see determinant
constexpr SignAndLogarithm slogdet(detail::At a) {
    if (!detail::square_matrix(a)) return {a, a};
    const Variable factors = detail::lu(a.variable);
    const Shape s = detail::axes_before(a.shape(), 2);
    const Tensor sign{reshape(detail::log_determinant(a.variable, factors, true), s)};
    return {sign, {reshape(detail::log_determinant(a.variable, factors, false), s)}};
}

}  // namespace sigma
