// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/movement.hpp>

#include <limits>

/// Functions composed of the operations; their gradients follow.
namespace sigma {

template <Shape A>
constexpr auto square(Tensor<A> x) {
    return x * x;
}

namespace detail {

/// An average over n elements of `from` times n / (n - correction).
template <int correction, Shape from, Shape to>
constexpr auto corrected(Tensor<to> average) {
    static_assert(correction == 0 || correction == 1);
    if constexpr (correction == 0) return average;
    else
        return average /
               (1.0 - double{correction} * tensor<Shape{}>(averaged<from, to>(constant(average.variable.tape, 1))));
}

}  // namespace detail

/// Σ (x - mean)² / n, or variance<1> of a sample: divided by n - 1 (Bessel), NaN of one element.
template <int correction = 0, Shape A>
constexpr auto variance(Tensor<A> x) {
    return detail::corrected<correction, A>(mean(square(x - mean(x))));
}
template <int correction = 0, Shape A, int... numbers, class... K>
    requires(detail::valid_axis(numbers, A.rank) && ...)
constexpr auto variance(Tensor<A> x, Axes<numbers...> over, K... k) {
    return detail::corrected<correction, A>(mean(square(x - mean(x, over, keep)), over, k...));
}
template <int correction = 0, Shape A, int... numbers, class... K>
constexpr error_axis_out_of_range<axes_given<numbers...>, spelled<A>> variance(Tensor<A>, Axes<numbers...>, K...);

namespace detail {

/// A power of two for numbers that are squared and summed: times it, what floats make neither overflows nor vanishes.
/// 1 for all that is usual, so that no bit changes.
template <Shape A, class... Over>
constexpr auto scale_to_square(Tensor<A> x, Over... over) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto greatest = stop_gradient(max(abs(x), over...));
    // One after the other: arguments are evaluated in any order, and tapes of all compilers are the same.
    const auto finite = greatest < infinity, great = greatest < 0x1p100, usual = greatest < 0x1p50;
    const auto small = greatest < 0x1p-50, tiny = greatest < 0x1p-100;
    const auto of_great = where(great, 0x1p-75, where(finite, 0x1p-90, 1.0));
    const auto of_small = where(tiny, 0x1p110, 0x1p75);
    return where(small, of_small, where(usual, 1.0, of_great));
}
template <Shape S, Shape A>
constexpr auto in_shape(Tensor<A> x) {
    return tensor<S>(reshape(x.variable, S));
}

}  // namespace detail

/// √variance. Its gradient is NaN where all elements are equal.
template <int correction = 0, Shape A>
constexpr auto standard_deviation(Tensor<A> x) {
    return sqrt(variance<correction>(x));
}
template <int correction = 0, Shape A, int... numbers, class... K>
    requires(detail::valid_axis(numbers, A.rank) && ...)
constexpr auto standard_deviation(Tensor<A> x, Axes<numbers...> over, K... k) {
    return sqrt(variance<correction>(x, over, k...));
}
template <int correction = 0, Shape A, int... numbers, class... K>
constexpr error_axis_out_of_range<axes_given<numbers...>, spelled<A>> standard_deviation(Tensor<A>, Axes<numbers...>,
                                                                                         K...);

namespace detail {

template <Shape A>
constexpr auto root_of_squares(Tensor<A> squares) {
    const auto none = equal(squares, 0.0);
    return where(none, 0.0, sqrt(where(none, 1.0, squares)));
}

}  // namespace detail

/// Euclidean: √Σ x², whose gradient at 0 is 0. Any floats have one: they are squared times a power of two,
/// for which they are read twice; sqrt(sum(square(x))) reads them once.
template <Shape A>
constexpr auto norm(Tensor<A> x) {
    const auto scale = detail::scale_to_square(x);
    return detail::root_of_squares(sum(square(x * scale))) / scale;
}
template <Shape A, int... numbers, class... K>
    requires(detail::valid_axis(numbers, A.rank) && ...)
constexpr auto norm(Tensor<A> x, Axes<numbers...> over, K... k) {
    const auto scale = detail::scale_to_square(x, over, keep);
    const auto root = detail::root_of_squares(sum(square(x * scale), over, k...));
    return root / detail::in_shape<root.shape>(scale);
}
template <Shape A, int... numbers, class... K>
constexpr error_axis_out_of_range<axes_given<numbers...>, spelled<A>> norm(Tensor<A>, Axes<numbers...>, K...);

/// log Σ exp(x) along an axis, without overflow: the greatest element is taken out first, unless it is infinite. Of
/// nothing but -∞ it is -∞, with gradient 0.
template <Shape A, int number = -1>
    requires(detail::valid_axis(number, A.rank))
constexpr auto logsumexp(Tensor<A> x, Axes<number> over = {}) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto greatest = stop_gradient(max(x, over, keep));
    const auto shift = where(abs(greatest) < infinity, greatest, 0.0);
    // A sum is 1 or more, or 0 of nothing but -∞, which the constant keeps from dividing in the gradient.
    const auto result = log(max(sum(exp(x - shift), over, keep), 0.5)) + greatest;
    constexpr Shape s = detail::dropped(A, Axes<number>{});
    return detail::tensor<s>(reshape(result.variable, s));
}
template <Shape A, int number = -1>
constexpr error_axis_out_of_range<axes_given<number>, spelled<A>> logsumexp(Tensor<A>, Axes<number> = {});

template <Shape A, int number = -1>
    requires(detail::valid_axis(number, A.rank))
constexpr auto log_softmax(Tensor<A> x, Axes<number> over = {}) {
    const auto shifted = x - stop_gradient(max(x, over, keep));
    return shifted - log(sum(exp(shifted), over, keep));
}
template <Shape A, int number = -1>
constexpr error_axis_out_of_range<axes_given<number>, spelled<A>> log_softmax(Tensor<A>, Axes<number> = {});

template <Shape A, int number = -1>
    requires(detail::valid_axis(number, A.rank))
constexpr auto softmax(Tensor<A> x, Axes<number> over = {}) {
    const auto e = exp(x - stop_gradient(max(x, over, keep)));
    return e / sum(e, over, keep);
}
template <Shape A, int number = -1>
constexpr error_axis_out_of_range<axes_given<number>, spelled<A>> softmax(Tensor<A>, Axes<number> = {});

/// log(1 + e^x), stable for large |x|. Neither max nor abs has a slope at 0, which is ½ here: `where` passes it on.
template <Shape A>
constexpr auto softplus(Tensor<A> x) {
    const auto above = x > 0.0;
    const auto straight = where(above, x, 0.0);
    return straight + log1p(exp(where(above, -x, x)));
}
template <Shape A>
constexpr auto relu(Tensor<A> x) {
    return max(x, 0.0);
}
/// Gaussian error linear unit, tanh form (Hendrycks and Gimpel 2016, section 2), with ½(1 + tanh u) as sigmoid(2u): the
/// sum loses its digits below 0.
template <Shape A>
constexpr auto gelu(Tensor<A> x) {
    return x * sigmoid(1.5957691216057308 * (x + 0.044715 * (x * x * x)));
}

}  // namespace sigma
