// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/movement.hpp>

/// Tensor language: systems of linear equations, by Gaussian elimination with pivots, for each matrix by itself. Meant
/// for small ones. Where a matrix is singular the result is infinite or NaN.
namespace sigma {

template <class>
struct error_matrix_must_be_square;
template <class, class>
struct error_solve_shapes_do_not_fit;

namespace detail {

constexpr bool is_square(const Shape& s) { return s.rank >= 2 && s.last() > 0 && s[s.rank - 2] == s.last(); }
/// Made anew: extents that a smaller rank leaves behind would make another type of the same shape.
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

}  // namespace detail

/// x of a·x = b: (…, n, n) and (…, n, m) -> (…, n, m), or (…, n) -> (…, n). Other axes broadcast.
template <Shape A, Shape B>
    requires(detail::is_square(A) && detail::solvable(A, B))
constexpr auto solve(Tensor<A> a, Tensor<B> b) {
    constexpr Shape s = detail::solution(A, B);
    const Variable columns = detail::is_vector(A, B) ? reshape(b.variable, B.inserted(B.rank, 1)) : b.variable;
    const Variable factors = detail::lu(a.variable);
    return detail::tensor<s>(reshape(solve(a.variable, columns, factors, false), s));
}
template <Shape A, Shape B>
    requires(!detail::is_square(A))
constexpr error_matrix_must_be_square<spelled<A>> solve(Tensor<A>, Tensor<B>);
template <Shape A, Shape B>
    requires(detail::is_square(A) && !detail::solvable(A, B))
constexpr error_solve_shapes_do_not_fit<spelled<A>, spelled<B>> solve(Tensor<A>, Tensor<B>);

/// (…, n, n) -> (…, n, n). For one system of equations `solve` is better.
template <Shape A>
    requires(detail::is_square(A))
constexpr auto inverse(Tensor<A> a) {
    const Variable unit = detail::identity_matrix(a.variable.tape, A.last());
    const Variable factors = detail::lu(a.variable);
    return detail::tensor<A>(solve(a.variable, unit, factors, false));
}
template <Shape A>
    requires(!detail::is_square(A))
constexpr error_matrix_must_be_square<spelled<A>> inverse(Tensor<A>);

/// (…, n, n) -> (…). Its gradient is right for singular matrices too, its second derivatives are not found there.
template <Shape A>
    requires(detail::is_square(A))
constexpr auto determinant(Tensor<A> a) {
    const Variable factors = detail::lu(a.variable);
    constexpr Shape s = detail::axes_before(A, 2);
    return detail::tensor<s>(reshape(determinant(a.variable, factors), s));
}
template <Shape A>
    requires(!detail::is_square(A))
constexpr error_matrix_must_be_square<spelled<A>> determinant(Tensor<A>);

template <Shape S>
struct SignAndLogarithm {
    Tensor<S> sign, logarithm;
};

/// auto [sign, logarithm] = slogdet(a): sign · exp(logarithm) is the determinant, which may itself be beyond the
/// numbers or vanish. Of a singular matrix 0 and -∞. The gradient of the logarithm is the transposed inverse.
template <Shape A>
    requires(detail::is_square(A))
constexpr auto slogdet(Tensor<A> a) {
    const Variable factors = detail::lu(a.variable);
    constexpr Shape s = detail::axes_before(A, 2);
    return SignAndLogarithm<s>{{reshape(detail::log_determinant(a.variable, factors, true), s)},
                               {reshape(detail::log_determinant(a.variable, factors, false), s)}};
}
template <Shape A>
    requires(!detail::is_square(A))
constexpr error_matrix_must_be_square<spelled<A>> slogdet(Tensor<A>);

}  // namespace sigma
