// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/movement.hpp>

#include <limits>

/// Functions composed of the operations; their gradients follow.
namespace sigma {

constexpr Tensor square(Tensor x) { return x * x; }

namespace detail {

/// An average over n elements of `from` times n / (n - correction).
template <int correction>
constexpr Tensor corrected(const Shape& from, Tensor average) {
    static_assert(correction == 0 || correction == 1);
    if (correction == 0) return average;
    const Variable one = constant(average.variable.tape, 1);
    return average / (1.0 - double{correction} * Tensor{averaged(from, average.shape(), one)});
}

}  // namespace detail

/// Σ (x - mean)² / n, or variance<1> of a sample: divided by n - 1 (Bessel), NaN of one element.
template <int correction = 0>
constexpr Tensor variance(Tensor x) {
    return detail::corrected<correction>(x.shape(), mean(square(x - mean(x))));
}
template <int correction = 0>
constexpr Tensor variance(detail::At x, const Axes& over, detail::Keep k = {}) {
    if (!detail::has(x, over)) return x;
    return detail::corrected<correction>(x.shape(), mean(square(x - mean(x, over, keep)), over, k));
}

namespace detail {

/// A power of two for numbers that are squared and summed: times it, what floats make neither overflows nor vanishes.
/// 1 for all that is usual, so that no bit changes.
constexpr Tensor scale_to_square(Tensor greatest_of_all) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor greatest = stop_gradient(greatest_of_all);
    // One after the other: arguments are evaluated in any order, and tapes of all compilers are the same.
    const Tensor finite = greatest < infinity, great = greatest < 0x1p100, usual = greatest < 0x1p50;
    const Tensor little = greatest < 0x1p-50, tiny = greatest < 0x1p-100;
    const Tensor of_great = where(great, 0x1p-75, where(finite, 0x1p-90, 1.0));
    const Tensor of_small = where(tiny, 0x1p110, 0x1p75);
    return where(little, of_small, where(usual, 1.0, of_great));
}

}  // namespace detail

/// √variance. Its gradient is NaN where all elements are equal.
template <int correction = 0>
constexpr Tensor standard_deviation(Tensor x) {
    return sqrt(variance<correction>(x));
}
template <int correction = 0>
constexpr Tensor standard_deviation(detail::At x, const Axes& over, detail::Keep k = {}) {
    return sqrt(variance<correction>(x, over, k));
}

namespace detail {

constexpr Tensor root_of_squares(Tensor squares) {
    const Tensor none = equal(squares, 0.0);
    return where(none, 0.0, sqrt(where(none, 1.0, squares)));
}

}  // namespace detail

/// Euclidean: √Σ x², whose gradient at 0 is 0. Any floats have one: they are squared times a power of two,
/// for which they are read twice; sqrt(sum(square(x))) reads them once.
constexpr Tensor norm(Tensor x) {
    const Tensor scale = detail::scale_to_square(max(abs(x)));
    return detail::root_of_squares(sum(square(x * scale))) / scale;
}
constexpr Tensor norm(detail::At x, const Axes& over, detail::Keep k = {}) {
    if (!detail::has(x, over)) return x;
    const Tensor scale = detail::scale_to_square(max(abs(x), over, keep));
    const Tensor root = detail::root_of_squares(sum(square(x * scale), over, k));
    return root / Tensor{reshape(scale.variable, root.shape())};
}

/// log Σ exp(x) along an axis, without overflow: the greatest element is taken out first, unless it is infinite. Of
/// nothing but -∞ it is -∞, with gradient 0.
constexpr Tensor logsumexp(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor greatest = stop_gradient(max(x, along, keep));
    const Tensor shift = where(abs(greatest) < infinity, greatest, 0.0);
    // A sum is 1 or more, or 0 of nothing but -∞, which the constant keeps from dividing in the gradient.
    const Tensor result = log(max(sum(exp(x - shift), along, keep), 0.5)) + greatest;
    return {reshape(result.variable, detail::dropped(x.shape(), along))};
}
constexpr Tensor log_softmax(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    const Tensor shifted = x - stop_gradient(max(x, along, keep));
    return shifted - log(sum(exp(shifted), along, keep));
}
constexpr Tensor softmax(detail::At x, Axis along) {
    if (!detail::has(x, along)) return x;
    const Tensor e = exp(x - stop_gradient(max(x, along, keep)));
    return e / sum(e, along, keep);
}
constexpr Tensor softmax(Tensor x) { return softmax(x, axis(-1)); }

/// log(1 + e^x), stable for large |x|. Neither max nor abs has a slope at 0, which is ½ here: `where` passes it on.
constexpr Tensor softplus(Tensor x) {
    const Tensor above = x > 0.0;
    const Tensor straight = where(above, x, 0.0);
    return straight + log1p(exp(where(above, -x, x)));
}
constexpr Tensor relu(Tensor x) { return max(x, 0.0); }
/// Gaussian error linear unit, tanh form (Hendrycks and Gimpel 2016, section 2), with ½(1 + tanh u) as sigmoid(2u): the
/// sum loses its digits below 0.
constexpr Tensor gelu(Tensor x) { return x * sigmoid(1.5957691216057308 * (x + 0.044715 * (x * x * x))); }

}  // namespace sigma
