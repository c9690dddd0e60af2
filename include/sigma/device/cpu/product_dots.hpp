// SPDX-License-Identifier: BSL-1.0
// The product of a plain matrix and one column. Nothing is transposed, because rows of A lie along k as the column
// does.
#pragma once

#include <cstddef>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/product_tile.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Order of sums. k is divided into blocks of column_depth terms. In a block, term i belongs to lane i mod dot_lanes; a
// lane is one chain sum = fma(a, b, sum) from zero; lane i then meets lane i + dot_lanes / 2, and so on in halves,
// whatever the width of the registers. Then c = alpha * sum, or fma(alpha, sum, c), block by block.
template <class T>
inline constexpr std::ptrdiff_t dot_lanes = 64 / static_cast<std::ptrdiff_t>(sizeof(T));
template <class T>
inline constexpr std::ptrdiff_t column_depth = static_cast<std::ptrdiff_t>(packed_a_bytes / sizeof(T));

template <int R, class T>
SIGMA_INLINE void dot_rows(const ProductArguments<T>& p, std::ptrdiff_t row, const T* b, std::ptrdiff_t from,
                           std::ptrdiff_t count) {
    constexpr int W = lanes<T>, V = static_cast<int>(dot_lanes<T>) / W;
    Vector<T> sums[R][V];
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) sums[r][v] = Vector<T>(T(0));
    }
    const T* a = p.a + row * p.a_row + from;
    const std::ptrdiff_t a_row = p.a_row;
    for (; count >= dot_lanes<T>; count -= dot_lanes<T>, a += dot_lanes<T>, b += dot_lanes<T>) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) {
            const Vector<T> of_b = FullVector<T>{}.load(b + v * W);
            SIGMA_UNROLL
            for (int r = 0; r < R; ++r)
                sums[r][v] = fused_multiply_add<T>(FullVector<T>{}.load(a + r * a_row + v * W), of_b, sums[r][v]);
        }
    }
    SIGMA_UNROLL
    for (int v = 0; v < V; ++v, count -= W, a += W, b += W) {
        if (count <= 0) break;
        const MaskedVector<T> some{static_cast<int>(min_of<std::ptrdiff_t>(count, W))};
        const Vector<T> of_b = some.load(b);
        SIGMA_UNROLL
        for (int r = 0; r < R; ++r) sums[r][v] = fused_multiply_add<T>(some.load(a + r * a_row), of_b, sums[r][v]);
    }
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int half = V / 2; half > 0; half /= 2) {
            SIGMA_UNROLL
            for (int v = 0; v < half; ++v) sums[r][v] = sums[r][v] + sums[r][v + half];
        }
        T& c = p.c[(row + r) * p.c_row];
        const Vector<T> total(sum<T>(sums[r][0])), alpha(p.alpha);
        c = (p.accumulate || from > 0 ? fused_multiply_add<T>(alpha, total, Vector<T>(c)) : alpha * total).data[0];
    }
}

/// Computes a C of one column from a plain A.
template <class T>
void product_dots(const ProductArguments<T>& p) {
    const std::ptrdiff_t step = p.b_transposed ? 1 : p.b_row;
    T* const dense = step == 1 ? nullptr : reinterpret_cast<T*>(product_scratch().a);
    for (std::ptrdiff_t from = 0; from == 0 || from < p.k; from += column_depth<T>) {
        const std::ptrdiff_t count = min_of(column_depth<T>, p.k - from);
        const T* b = p.b + from * step;
        if (step != 1) {
            for (std::ptrdiff_t k = 0; k < count; ++k) dense[k] = b[k * step];
            b = dense;
        }
        std::ptrdiff_t i = 0;
        for (; i + 4 <= p.m; i += 4) dot_rows<4>(p, i, b, from, count);
        for (; i < p.m; ++i) dot_rows<1>(p, i, b, from, count);
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
