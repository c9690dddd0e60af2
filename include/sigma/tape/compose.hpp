// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions composed of others: square, variance, norm, softmax, logsumexp, relu, gelu, softplus. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/tape/movement.hpp>

#include <limits>

namespace sigma {

/// Returns the square of each element.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// const auto squares = [](Tensor x) { return sum(square(x)); };
/// @endcode
///
/// @see pow, norm
constexpr Tensor square(Tensor x) { return x * x; }

namespace detail {

/// Returns an average over n elements of `from` times n / (n - correction).
template <int correction>
constexpr Tensor corrected(const Shape& from, Tensor average) {
    static_assert(correction == 0 || correction == 1);
    if (correction == 0) return average;
    const Variable one = constant(average.variable.tape, 1);
    return average / (1.0 - double{correction} * Tensor{averaged(from, average.shape(), one)});
}

}  // namespace detail

/// Returns the variance of all elements, Σ (x - mean)² / n.
///
/// `variance<1>(x)` is the variance of a sample, divided by n - 1 (Bessel); it is NaN for one element.
/// @tparam correction  subtracted from n: 0 or 1
/// @param x  a tensor
/// @return a scalar tensor
///
/// @par Example
/// @code
/// const auto spread = [](Tensor x) { return variance<1>(x); };
/// @endcode
///
/// @see standard_deviation, mean
template <int correction = 0>
constexpr Tensor variance(Tensor x) {
    return detail::corrected<correction>(x.shape(), mean(square(x - mean(x))));
}
/// Returns the variances along some axes, Σ (x - mean)² / n.
/// @tparam correction  subtracted from n: 0 or 1
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @see standard_deviation, mean
template <int correction = 0>
constexpr Tensor variance(detail::At x, const Axes& over, detail::Keep kept = {}) {
    if (!detail::has(x, over)) return x;
    return detail::corrected<correction>(x.shape(), mean(square(x - mean(x, over, keep)), over, kept));
}

namespace detail {

/// Returns a power of two for numbers that are squared and summed: with this factor, no float overflows or vanishes. It
/// is 1 for usual numbers, so that no bit changes.
constexpr Tensor scale_to_square(Tensor greatest_of_all) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor greatest = stop_gradient(greatest_of_all);
    // Statements: operands have no order of evaluation, and all compilers must record the same tape.
    const Tensor finite = greatest < infinity, great = greatest < 0x1p100, usual = greatest < 0x1p50;
    const Tensor little = greatest < 0x1p-50, tiny = greatest < 0x1p-100;
    const Tensor of_great = where(great, 0x1p-75, where(finite, 0x1p-90, 1.0));
    const Tensor of_small = where(tiny, 0x1p110, 0x1p75);
    return where(little, of_small, where(usual, 1.0, of_great));
}

}  // namespace detail

/// Returns the standard deviation of all elements, √variance. Its gradient is NaN if all elements are equal.
/// @tparam correction  subtracted from n: 0, or 1 for a sample
/// @param x  a tensor
/// @return a scalar tensor
///
/// @par Example
/// @code
/// const auto spread = [](Tensor x) { return standard_deviation(x); };
/// @endcode
///
/// @see variance
template <int correction = 0>
constexpr Tensor standard_deviation(Tensor x) {
    return sqrt(variance<correction>(x));
}
/// Returns the standard deviations along some axes. Gradients are NaN if all elements are equal.
/// @tparam correction  subtracted from n: 0, or 1 for a sample
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @see variance
template <int correction = 0>
constexpr Tensor standard_deviation(detail::At x, const Axes& over, detail::Keep kept = {}) {
    return sqrt(variance<correction>(x, over, kept));
}

namespace detail {

constexpr Tensor root_of_squares(Tensor squares) {
    const Tensor none = equal(squares, 0.0);
    return where(none, 0.0, sqrt(where(none, 1.0, squares)));
}

}  // namespace detail

/// Returns the Euclidean norm of all elements, √Σ x². Its gradient at 0 is 0.
///
/// The norm of any finite floats is accurate: they are scaled by a power of two, for which they are read twice.
/// `sqrt(sum(square(x)))` reads them once.
/// @param x  a tensor
/// @return a scalar tensor
///
/// @par Example
/// @code
/// const auto unit = [](Tensor x) { return x / norm(x, axis(-1), keep); };
/// @endcode
///
/// @see square, CosineLoss
constexpr Tensor norm(Tensor x) {
    const Tensor scale = detail::scale_to_square(max(abs(x)));
    return detail::root_of_squares(sum(square(x * scale))) / scale;
}
/// Returns the Euclidean norms along some axes. Their gradients at 0 are 0.
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @see square
constexpr Tensor norm(detail::At x, const Axes& over, detail::Keep kept = {}) {
    if (!detail::has(x, over)) return x;
    const Tensor scale = detail::scale_to_square(max(abs(x), over, keep));
    const Tensor root = detail::root_of_squares(sum(square(x * scale), over, kept));
    return root / Tensor{reshape(scale.variable, root.shape())};
}

/// Returns log Σ exp(x) along an axis, without overflow. If all elements are -∞, it is -∞, with gradient 0.
/// @param x  a tensor
/// @param along  the axis. Default: the last.
/// @return a tensor without this axis
///
/// @par Example
/// @code
/// const auto total = [](Tensor scores) { return logsumexp(scores); };
/// @endcode
///
/// @see softmax, log_softmax
constexpr Tensor logsumexp(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor greatest = stop_gradient(max(x, along, keep));
    const Tensor shift = where(abs(greatest) < infinity, greatest, 0.0);
    // A sum is at least 1, or 0 if all are -∞: the constant avoids a division by 0 in the gradient.
    const Tensor result = log(max(sum(exp(x - shift), along, keep), 0.5)) + greatest;
    return {reshape(result.variable, detail::dropped(x.shape(), along))};
}
/// Returns the logarithm of softmax along an axis, without overflow.
/// @param x  a tensor
/// @param along  the axis. Default: the last.
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// const auto log_probabilities = [](Tensor scores) { return log_softmax(scores); };
/// @endcode
///
/// @see softmax, logsumexp
constexpr Tensor log_softmax(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    const Tensor shifted = x - stop_gradient(max(x, along, keep));
    return shifted - log(sum(exp(shifted), along, keep));
}
/// Returns softmax along an axis, exp(x) / Σ exp(x), without overflow.
/// @param x  a tensor
/// @param along  the axis
/// @return a tensor of the shape of `x`, with the sum 1 along the axis
///
/// @par Example
/// @code
/// const auto probabilities = [](Tensor scores) { return softmax(scores, axis(1)); };
/// @endcode
///
/// @see log_softmax, SoftmaxCE
constexpr Tensor softmax(detail::At x, Axis along) {
    if (!detail::has(x, along)) return x;
    const Tensor e = exp(x - stop_gradient(max(x, along, keep)));
    return e / sum(e, along, keep);
}
/// Returns softmax along the last axis, exp(x) / Σ exp(x). Do not use it before SoftmaxCE, which applies it itself.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see softmax(detail::At, Axis)
constexpr Tensor softmax(Tensor x) { return softmax(x, axis(-1)); }

/// Returns log(1 + e^x) of each element, without overflow.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see relu
// At 0, max and abs lack the slope ½: `where` passes it.
constexpr Tensor softplus(Tensor x) {
    const Tensor above = x > 0.0;
    const Tensor straight = where(above, x, 0.0);
    return straight + log1p(exp(where(above, -x, x)));
}
/// Returns max(x, 0) of each element (rectified linear unit). Its gradient at 0 is 0.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// struct Rectified : Network<Input(784) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see leaky_relu, gelu, silu
constexpr Tensor relu(Tensor x) { return max(x, 0.0); }
/// Returns the Gaussian error linear unit of each element, in its tanh form (Hendrycks and Gimpel 2016, section 2).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// struct Gated : Network<Input(784) + Dense(64, gelu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see silu, relu
// ½(1 + tanh u) is computed as sigmoid(2u): the sum loses its digits below 0.
constexpr Tensor gelu(Tensor x) { return x * sigmoid(1.5957691216057308 * (x + 0.044715 * (x * x * x))); }

}  // namespace sigma
