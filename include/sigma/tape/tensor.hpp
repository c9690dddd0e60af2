// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/errors.hpp>
#include <sigma/tape/variable.hpp>

/// The tensor language. A `Tensor` carries its shape in its type and its position on the tape in its value, so every
/// shape is checked where it is written, and passes still see plain data.
namespace sigma {

template <Shape S>
struct Tensor {
    Variable variable;
    static constexpr Shape shape = S;

    /// x[0]: there are no elements yet.
    template <class Index>
    error_tensor_has_no_elements<write_slice_axis_first_end> operator[](const Index&) const;
    /// `if (x > 0.0)`: there are no numbers yet. Of a conversion no type can be a name.
    __attribute__((unavailable("error_tensor_is_no_condition, write where(x > 0.0, a, b)"))) explicit constexpr
    operator bool() const;
};

/// Axes of a reduction: `sum(x, axis<0>)`, `mean(x, axes<1, 2>)`; negative ones count from the end.
template <int... numbers>
struct Axes {};
template <int... numbers>
inline constexpr Axes<numbers...> axes{};
template <int number>
inline constexpr Axes<number> axis{};

namespace detail {

/// `sum(x, axis<1>, keep)` leaves extent 1 where it reduces; without it the axes vanish.
struct Keep {};

}  // namespace detail

inline constexpr detail::Keep keep{};

namespace detail {

template <class>
inline constexpr bool is_tensor = false;
template <Shape S>
inline constexpr bool is_tensor<Tensor<S>> = true;

constexpr int normal_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }
constexpr bool valid_axis(int axis, int rank) { return axis >= -rank && axis < rank; }

template <Shape S>
constexpr Tensor<S> tensor(Variable v) {
    return {v};
}
template <Shape S>
constexpr Variable constant_beside(Tensor<S> x, double k) {
    return constant(x.variable.tape, k);
}
template <Shape A, Shape B>
concept Broadcastable = broadcastable(A, B);

template <int... numbers>
constexpr Shape reduced(const Shape& s, Axes<numbers...>) {
    Shape r = s;
    ((r.extent[normal_axis(numbers, s.rank)] = 1), ...);
    return r;
}
template <int... numbers>
constexpr Shape dropped(const Shape& s, Axes<numbers...>) {
    bool gone[max_rank]{};
    ((gone[normal_axis(numbers, s.rank)] = true), ...);
    Shape r;
    for (int i = 0; i < s.rank; ++i)
        if (!gone[i]) r.extent[r.rank++] = s[i];
    return r;
}
constexpr Shape all_ones(const Shape& s) { return Shape{}.aligned(s.rank); }

}  // namespace detail

// ---- two operands, NumPy broadcasting ----

#define SIGMA_binary(FUNCTION)                                                            \
    template <Shape A, Shape B>                                                           \
        requires detail::Broadcastable<A, B>                                              \
    constexpr auto FUNCTION(Tensor<A> x, Tensor<B> y) {                                   \
        return detail::tensor<detail::broadcast(A, B)>(FUNCTION(x.variable, y.variable)); \
    }                                                                                     \
    template <Shape A>                                                                    \
    constexpr auto FUNCTION(Tensor<A> x, double k) {                                      \
        return detail::tensor<A>(FUNCTION(x.variable, detail::constant_beside(x, k)));    \
    }                                                                                     \
    template <Shape A>                                                                    \
    constexpr auto FUNCTION(double k, Tensor<A> x) {                                      \
        return detail::tensor<A>(FUNCTION(detail::constant_beside(x, k), x.variable));    \
    }                                                                                     \
    template <Shape A, Shape B>                                                           \
    constexpr error_shapes_do_not_broadcast<spelled<A>, spelled<B>> FUNCTION(Tensor<A>, Tensor<B>)
SIGMA_binary(operator+);
SIGMA_binary(operator-);
SIGMA_binary(operator*);
SIGMA_binary(operator/);
SIGMA_binary(pow);
SIGMA_binary(max);
SIGMA_binary(min);
SIGMA_binary(less);
SIGMA_binary(less_equal);
SIGMA_binary(equal);

/// Comparisons give 1 where they hold and 0 elsewhere; no gradient passes through them.
template <class X, class Y>
    requires((detail::is_tensor<X> || detail::is_tensor<Y>) && requires(X x, Y y) { less(x, y); })
constexpr auto operator<(X x, Y y) {
    return less(x, y);
}
template <class X, class Y>
    requires((detail::is_tensor<X> || detail::is_tensor<Y>) && requires(X x, Y y) { less(y, x); })
constexpr auto operator>(X x, Y y) {
    return less(y, x);
}
template <class X, class Y>
    requires((detail::is_tensor<X> || detail::is_tensor<Y>) && requires(X x, Y y) { less_equal(x, y); })
constexpr auto operator<=(X x, Y y) {
    return less_equal(x, y);
}
template <class X, class Y>
    requires((detail::is_tensor<X> || detail::is_tensor<Y>) && requires(X x, Y y) { less_equal(y, x); })
constexpr auto operator>=(X x, Y y) {
    return less_equal(y, x);
}
template <Shape A, Shape B>
    requires detail::Broadcastable<A, B>
constexpr auto not_equal(Tensor<A> x, Tensor<B> y) {
    return 1.0 - equal(x, y);
}

/// `x` where the condition is not zero, `y` elsewhere; all three broadcast.
template <Shape C, Shape A, Shape B>
    requires(detail::broadcastable(C, A) && detail::broadcastable(A, B) && detail::broadcastable(C, B))
constexpr auto where(Tensor<C> condition, Tensor<A> x, Tensor<B> y) {
    constexpr Shape s = detail::broadcast(C, detail::broadcast(A, B));
    return detail::tensor<s>(detail::expand(where(condition.variable, x.variable, y.variable), s));
}
template <Shape C, Shape A, Shape B>
constexpr error_where_shapes_do_not_broadcast<spelled<C>, spelled<A>, spelled<B>> where(Tensor<C>, Tensor<A>,
                                                                                        Tensor<B>);
template <Shape C, Shape A>
constexpr auto where(Tensor<C> condition, Tensor<A> x, double y) {
    return where(condition, x, detail::tensor<Shape{}>(detail::constant_beside(x, y)));
}
template <Shape C, Shape B>
constexpr auto where(Tensor<C> condition, double x, Tensor<B> y) {
    return where(condition, detail::tensor<Shape{}>(detail::constant_beside(y, x)), y);
}
template <Shape C>
constexpr auto where(Tensor<C> condition, double x, double y) {
    return where(condition, detail::tensor<Shape{}>(detail::constant_beside(condition, x)), y);
}

// ---- one operand, and all functions that the table of operations makes ----

#define SIGMA_unary(FUNCTION)                           \
    template <Shape A>                                  \
    constexpr auto FUNCTION(Tensor<A> x) {              \
        return detail::tensor<A>(FUNCTION(x.variable)); \
    }
// clang-format off
SIGMA_unary(operator-)
SIGMA_unary(abs)
#define SIGMA_row_unary(name) SIGMA_unary(name)
#define SIGMA_row_flat(name) SIGMA_unary(name)
#define SIGMA_row_binary(name) SIGMA_binary(name);
#define SIGMA_FUNCTION(name, kind, ...) SIGMA_row_##kind(name)
SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_NO_ROW, SIGMA_FUNCTION)
#undef SIGMA_FUNCTION
#undef SIGMA_row_binary
#undef SIGMA_row_flat
#undef SIGMA_row_unary
#undef SIGMA_unary
#undef SIGMA_binary

// ---- reductions over any set of axes ----

#define SIGMA_REDUCTION(FUNCTION, OPERATION)                                                      \
    template <Shape A, int... numbers>                                                            \
        requires(detail::valid_axis(numbers, A.rank) && ...)                                      \
    constexpr auto FUNCTION(Tensor<A> x, Axes<numbers...> over, detail::Keep) {                   \
        constexpr Shape s = detail::reduced(A, decltype(over){});                                 \
        return detail::tensor<s>(detail::reduce(OPERATION, x.variable, s));                       \
    }                                                                                             \
    template <Shape A, int... numbers>                                                            \
        requires(detail::valid_axis(numbers, A.rank) && ...)                                      \
    constexpr auto FUNCTION(Tensor<A> x, Axes<numbers...> over) {                                 \
        constexpr Shape s = detail::dropped(A, decltype(over){});                                 \
        return detail::tensor<s>(sigma::reshape(FUNCTION(x, over, keep).variable, s));            \
    }                                                                                             \
    template <Shape A>                                                                            \
    constexpr auto FUNCTION(Tensor<A> x) {                                                        \
        return detail::tensor<Shape{}>(                                                           \
            sigma::reshape(detail::reduce(OPERATION, x.variable, detail::all_ones(A)), Shape{})); \
    }                                                                                             \
    template <Shape A, int... numbers, class... K>                                                \
    constexpr error_axis_out_of_range<axes_given<numbers...>, spelled<A>> FUNCTION(Tensor<A>, Axes<numbers...>, K...)
SIGMA_REDUCTION(sum, detail::Operation::sum);
// clang-format on
SIGMA_REDUCTION(max, detail::Operation::reduce_maximum);
SIGMA_REDUCTION(min, detail::Operation::reduce_minimum);
#undef SIGMA_REDUCTION

namespace detail {

/// `total` divided by the number of elements that were summed into each element of it.
template <Shape from, Shape to>
constexpr Variable averaged(Variable total) {
    constexpr double ratio = static_cast<double>(to.count()) / static_cast<double>(from.count());
    if constexpr (from.batched() && !to.batched()) total = total * reciprocal_batch(total.tape);
    return ratio * total;
}

}  // namespace detail

template <Shape A, int... numbers, class... K>
    requires requires(Tensor<A> x, Axes<numbers...> over, K... k) { sum(x, over, k...).variable; }
constexpr auto mean(Tensor<A> x, Axes<numbers...> over, K... k) {
    auto total = sum(x, over, k...);
    return detail::tensor<decltype(total)::shape>(detail::averaged<A, decltype(total)::shape>(total.variable));
}
template <Shape A, int... numbers, class... K>
constexpr error_axis_out_of_range<axes_given<numbers...>, spelled<A>> mean(Tensor<A>, Axes<numbers...>, K...);
template <Shape A>
constexpr auto mean(Tensor<A> x) {
    return detail::tensor<Shape{}>(detail::averaged<A, Shape{}>(sum(x).variable));
}

/// Position of the (first) greatest element along one axis, which vanishes. No gradient.
template <int number = -1, Shape A>
    requires(detail::valid_axis(number, A.rank))
constexpr auto argmax(Tensor<A> x) {
    constexpr int at = detail::normal_axis(number, A.rank);
    constexpr Shape s = A.without(at);
    return detail::tensor<s>(sigma::reshape(argmax(x.variable, at), s));
}
template <int number = -1, Shape A>
constexpr error_axis_out_of_range<axes_given<number>, spelled<A>> argmax(Tensor<A>);
/// The same of the least. A NaN wins in both.
template <int number = -1, Shape A>
    requires(detail::valid_axis(number, A.rank))
constexpr auto argmin(Tensor<A> x) {
    return argmax<number>(-x);
}
template <int number = -1, Shape A>
constexpr error_axis_out_of_range<axes_given<number>, spelled<A>> argmin(Tensor<A>);

}  // namespace sigma
