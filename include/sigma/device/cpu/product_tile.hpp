// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/cpu/transpose.hpp>

#include <cstddef>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// A strip of C of V vectors, and the panels of A and B that it is the product of. The last vector of a strip may start
// before the end of the previous one: their common columns get the same values twice, and no mask is needed.
template <class T>
struct ProductStrip {
    std::ptrdiff_t m, k;
    const T* a;
    std::ptrdiff_t a_row, a_column;
    const T* b;
    std::ptrdiff_t b_row, b_last;  // b_last, c_last: the column at which the last vector starts
    T* c;
    std::ptrdiff_t c_row, c_last;
    T alpha;
    bool accumulate;
};

// The number of rows of a full tile: tile, one row of B and one broadcast fit the registers.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int product_strip_vectors = 4;
template <int V>
inline constexpr int product_tile_rows = V == 1   ? 8
                                         : V == 2 ? 12
                                         : V == 3 ? 8
                                         : V == 4 ? 6
                                                  : 1;
#else
inline constexpr int product_strip_vectors = 2;
template <int V>
inline constexpr int product_tile_rows = V == 1   ? 8
                                         : V == 2 ? 6
                                         : V == 3 ? 4
                                                  : 1;
#endif

// Computes for every element of C: sum = a0*b0; sum = fma(a1, b1, sum); ... in the order of k, then c = fma(alpha, sum,
// c). No tile shape, tail or packing changes this chain, so C does not depend on the division of its rows.
template <int R, int V, class End, class T>
SIGMA_INLINE void product_tile(const ProductStrip<T>& s, std::ptrdiff_t row, End end) {
    constexpr int width = lanes<T>;
    const T* a = s.a + row * s.a_row;
    const T* b = s.b;
    const std::ptrdiff_t a_row = s.a_row, a_column = s.a_column, b_row = s.b_row, b_last = s.b_last;
    Vector<T> sums[R][V];
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) sums[r][v] = Vector<T>(T(0));
    }
    for (std::ptrdiff_t k = s.k; k > 0; --k, a += a_column, b += b_row) {
        Vector<T> of_b[V];
        SIGMA_UNROLL
        for (int v = 0; v < V - 1; ++v) of_b[v] = FullVector<T>{}.load(b + v * width);
        of_b[V - 1] = end.load(b + b_last);
        SIGMA_UNROLL
        for (int r = 0; r < R; ++r) {
            const Vector<T> of_a(a[r * a_row]);
            SIGMA_UNROLL
            for (int v = 0; v < V; ++v) sums[r][v] = fused_multiply_add<T>(of_a, of_b[v], sums[r][v]);
        }
    }
    const Vector<T> alpha(s.alpha);
    const std::ptrdiff_t c_row = s.c_row, c_last = s.c_last;
    T* c = s.c + row * c_row;
    if (s.accumulate) {  // everything is read before it is written, because vectors may overlap
        SIGMA_UNROLL
        for (int r = 0; r < R; ++r) {
            SIGMA_UNROLL
            for (int v = 0; v < V - 1; ++v)
                sums[r][v] = fused_multiply_add<T>(alpha, sums[r][v], FullVector<T>{}.load(c + r * c_row + v * width));
            sums[r][V - 1] = fused_multiply_add<T>(alpha, sums[r][V - 1], end.load(c + r * c_row + c_last));
        }
    } else {
        SIGMA_UNROLL
        for (int r = 0; r < R; ++r) {
            SIGMA_UNROLL
            for (int v = 0; v < V; ++v) sums[r][v] = alpha * sums[r][v];
        }
    }
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r, c += c_row) {
        SIGMA_UNROLL
        for (int v = 0; v < V - 1; ++v) FullVector<T>{}.store(c + v * width, sums[r][v]);
        end.store(c + c_last, sums[r][V - 1]);
    }
}

template <int V, class End, class T>
[[gnu::noinline]] void product_strip(const ProductStrip<T>& s, End end) {
    constexpr int rows = product_tile_rows<V>;
    std::ptrdiff_t i = 0;
    // Eight or nine rows at the end use tiles of four: a tile of two has too few sums to keep the units busy.
    constexpr bool fours = rows == 6 && V < 4;
    for (; i + rows <= s.m && !(fours && (s.m - i) / 2 == 4); i += rows) product_tile<rows, V>(s, i, end);
    if constexpr (rows > 4)
        for (; i + 4 <= s.m; i += 4) product_tile<4, V>(s, i, end);
    if constexpr (rows > 2)
        if (i + 2 <= s.m) product_tile<2, V>(s, i, end), i += 2;
    if constexpr (rows > 1)
        if (i < s.m) product_tile<1, V>(s, i, end);
}

// Computes one row of C by V vectors: a single record reads long stretches of B.
template <int V, class T>
void product_row(const ProductStrip<T>& s) {
    product_tile<1, V>(s, 0, FullVector<T>{});
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Packs the columns of B of the strip, row after row.
template <class T>
void pack_b(ProductStrip<T>& s, int vectors, T* to) {
    constexpr int width = lanes<T>;
    const T* from = s.b;
    s.b = to;
    for (std::ptrdiff_t k = 0; k < s.k; ++k, from += s.b_row, to += width) {
        __builtin_prefetch(from + vectors * width);  // the next strip; the processor does not prefetch distant rows
        for (int v = 0; v < vectors - 1; ++v, to += width)
            FullVector<T>{}.store(to, FullVector<T>{}.load(from + v * width));
        FullVector<T>{}.store(to, FullVector<T>{}.load(from + s.b_last));
    }
    s.b_row = vectors * width;
    s.b_last = s.b_row - width;
}

// Packs the columns of a transposed B in the same order. `columns` of its rows exist, which may be fewer than the strip
// has. A strip narrower than a vector begins further left, in the columns of the previous strip.
template <class T>
void pack_b_transposed(ProductStrip<T>& s, int vectors, std::ptrdiff_t columns, T* to) {
    const std::ptrdiff_t row = vectors * lanes<T>;
    const std::ptrdiff_t back = s.b_last < 0 ? -s.b_last : 0;  // for a single vector
    if (columns + back < row)
        for (std::ptrdiff_t k = 0; k < s.k; ++k) fill(to + k * row + columns + back, row - columns - back, T(0));
    transpose(s.b - back * s.b_row, s.b_row, static_cast<int>(columns + back), static_cast<int>(s.k), to, row);
    s.b = to + back;
    s.b_row = row;
}

// Returns the length of a packed row of A: an odd number of cache lines, so that the rows of a tile use different sets
// of the cache (rows of 1024 floats would all use the same set).
template <class T>
std::ptrdiff_t packed_a_row(std::ptrdiff_t k) {
    constexpr std::ptrdiff_t line = 64 / sizeof(T);
    return (((k + line - 1) / line) | 1) * line;
}

// Packs the rows of A of the strip, plain even if A is transposed.
template <class T>
void pack_a(ProductStrip<T>& s, T* to) {
    const std::ptrdiff_t row = packed_a_row<T>(s.k);
    if (s.a_row == 1) transpose(s.a, s.a_column, static_cast<int>(s.k), static_cast<int>(s.m), to, row);
    else
        for (std::ptrdiff_t i = 0; i < s.m; ++i)
            for (std::ptrdiff_t k = 0; k < s.k; ++k) to[i * row + k] = s.a[i * s.a_row + k * s.a_column];
    s.a = to;
    s.a_row = row;
    s.a_column = 1;
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
