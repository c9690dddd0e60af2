// SPDX-License-Identifier: BSL-1.0
// Copies of parts of A and B in the order in which a strip reads them. They change the speed, never the bits.
#pragma once

#include <cstddef>

#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/cpu/product_tile.hpp>
#include <sigma/device/cpu/transpose.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// The strip's columns of B, one row after the other.
template <class T>
void pack_b(ProductStrip<T>& s, int vectors, T* to) {
    constexpr int width = lanes<T>;
    const T* from = s.b;
    s.b = to;
    for (std::ptrdiff_t k = 0; k < s.k; ++k, from += s.b_row, to += width) {
        __builtin_prefetch(from + vectors * width);  // the next strip; rows apart are strangers to the prefetcher
        for (int v = 0; v < vectors - 1; ++v, to += width)
            FullVector<T>{}.store(to, FullVector<T>{}.load(from + v * width));
        FullVector<T>{}.store(to, FullVector<T>{}.load(from + s.b_last));
    }
    s.b_row = vectors * width;
    s.b_last = s.b_row - width;
}

// The strip's columns of a B that is transposed, in the same order. Of its rows `columns` are there, fewer than the
// strip may have; the first column of a strip that would be narrower than a vector lies further left, among those of
// the strip before.
template <class T>
void pack_b_transposed(ProductStrip<T>& s, int vectors, std::ptrdiff_t columns, T* to) {
    const std::ptrdiff_t row = vectors * lanes<T>;
    const std::ptrdiff_t back = s.b_last < 0 ? -s.b_last : 0;  // of a single vector
    if (columns + back < row)
        for (std::ptrdiff_t k = 0; k < s.k; ++k) fill(to + k * row + columns + back, row - columns - back, T(0));
    transpose(s.b - back * s.b_row, s.b_row, static_cast<int>(columns + back), static_cast<int>(s.k), to, row);
    s.b = to + back;
    s.b_row = row;
}

// Length of a packed row of A: whole cache lines, and an odd number of them, so that the rows of a tile fall into
// different sets of the cache (a row of 1024 floats would put them all into one).
template <class T>
std::ptrdiff_t packed_a_row(std::ptrdiff_t k) {
    constexpr std::ptrdiff_t line = 64 / sizeof(T);
    return (((k + line - 1) / line) | 1) * line;
}

// The strip's rows of A, plain whatever A was.
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
