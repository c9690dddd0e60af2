// SPDX-License-Identifier: BSL-1.0
// BLAS for the products where it is faster than our own; a program that never includes this needs no BLAS.
#pragma once

#include <algorithm>
#include <cstddef>

#include <sigma/device/cpu/blas.hpp>
#include <sigma/device/cpu/product.hpp>

namespace sigma::simd {

// Whether a product of these extents, before any of it is shared out among threads, should go to BLAS. The answer
// must not depend on a thread's share: BLAS sums in its own order, and a row's bits change with the rows beside it.
// So a share that BLAS computes must be fixed too: hand blas_product the same parts whatever the number of threads.
template <class T>
constexpr bool product_uses_blas(std::ptrdiff_t m_total, std::ptrdiff_t n_total, std::ptrdiff_t k) {
    // Measured: own code is within a few per cent of OpenBLAS up to here, and a tenth slower beyond.
    constexpr std::ptrdiff_t large = 768;
    return m_total >= large && n_total >= large && k >= large;
}

// Rows of C in one call of BLAS. Every call packs B anew: 128 rows cost it 5 per cent, but leave 1024 rows work for
// eight threads.
inline constexpr std::ptrdiff_t blas_rows = 128;

// Records in one call where a record has so many rows: a power of two, so that the greatest divides among several.
constexpr std::ptrdiff_t blas_records(std::ptrdiff_t rows_each) {
    std::ptrdiff_t records = 1;
    while (records * rows_each < blas_rows) records *= 2;
    return records;
}

// The same meaning as product; A must be plain or transposed, extents and rows must fit an int.
template <class T>
void blas_product(const ProductArguments<T>& p) {
    if (p.m == 0 || p.n == 0) return;
    const bool transposed = p.a_column != 1;
    const auto integer = [](std::ptrdiff_t x) { return static_cast<int>(x); };
    gemm(transposed, integer(p.m), integer(p.n), integer(p.k), p.alpha, p.a, integer(transposed ? p.a_column : p.a_row),
         p.b, integer(p.b_row), p.accumulate ? T(1) : T(0), p.c, integer(p.c_row));
}

// The same in calls of `rows` rows.
template <class T>
void blas_product(ProductArguments<T> p, std::ptrdiff_t rows) {
    for (std::ptrdiff_t left = p.m; left > 0; left -= rows) {
        p.m = std::min(rows, left);
        blas_product(p);
        p.a += rows * p.a_row;
        p.c += rows * p.c_row;
    }
}

}  // namespace sigma::simd
