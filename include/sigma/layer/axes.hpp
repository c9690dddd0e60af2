// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>

#include <utility>

/// Runs of axes, and shapes made of a tensor's shape, for layers that work on any rank.
namespace sigma::detail {

template <int first, int... i>
constexpr auto axes_from(std::integer_sequence<int, i...>) {
    return Axes<(first + i)...>{};
}
/// Axes 0 … n-1.
template <int n>
inline constexpr auto leading_axes = axes_from<0>(std::make_integer_sequence<int, n>{});
/// The last n axes.
template <int n>
inline constexpr auto trailing_axes = axes_from<-n>(std::make_integer_sequence<int, n>{});

constexpr Shape last_extents(const Shape& s, int n) {
    Shape r;
    for (int i = s.rank - n; i < s.rank; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// x / √(mean x² + ε), of x that was made of `given`. What is great is multiplied with a power of two before it is
/// squared; a sum of magnitudes says what is great, which is cheaper than a maximum.
template <Shape S, int... numbers>
constexpr auto over_root_mean_square(Tensor<S> x, Tensor<S> given, double epsilon, Axes<numbers...> over) {
    const auto scale = scale_to_square(stop_gradient(sum(abs(given), over, keep)));
    const auto added = max(epsilon * scale * scale, 1e-37);  // equal numbers, which are 0 here, stay 0
    return x * (scale * rsqrt(mean(square(x * scale), over, keep) + added));
}
/// 1 / number of elements that share one index of the last axis.
template <Shape S>
constexpr Tensor<Shape{}> reciprocal_rows(Tensor<S> x) {
    constexpr double rows = static_cast<double>(S.count()) / S.last();
    return {reciprocal_batch(x.variable.tape) * (1 / rows)};
}

}  // namespace sigma::detail
