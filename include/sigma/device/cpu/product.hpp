// SPDX-License-Identifier: BSL-1.0
// The matrix product on one thread. Measurements and reasons: docs/design/matrix-product.md
#pragma once

#include <cstddef>

#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/product_pack.hpp>
#include <sigma/device/cpu/product_tile.hpp>
#include <sigma/device/cpu/transpose.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Bits. An element of C depends on its row of A, its column of B, k, alpha and what it held, and on nothing else:
//   k is cut into the fewest blocks of at most product_depth terms, all alike but the last (a function of k alone);
//   each block is one chain sum = fma(a, b, sum) from zero; then c = alpha * sum, or fma(alpha, sum, c), block by
//   block.
// Every tile, tail and packing keeps to this, so a caller may share out rows and columns in any way.

// Vectors in the next strip where so many are left. A single vector must not be left over: it would overlap a strip
// that is already finished.
SIGMA_INLINE int strip_vectors(std::ptrdiff_t left) {
    return left == product_strip_vectors + 1 ? 3
           : left < product_strip_vectors    ? static_cast<int>(left)
                                             : product_strip_vectors;
}

template <class T>
void product_strips(ProductStrip<T>& s, std::ptrdiff_t n, bool padded, bool pack, const T* packed = nullptr) {
    constexpr int width = lanes<T>;
    if (n < width && !padded) {
        s.b_last = s.c_last = 0;
        if (n > 0) product_strip<1>(s, MaskedVector<T>{static_cast<int>(n)});
        return;
    }
    const T* const b = s.b;
    T* const c = s.c;
    const std::ptrdiff_t b_row = s.b_row;
    std::ptrdiff_t j = 0;
    for (std::ptrdiff_t left = (n + width - 1) / width; left > 0;) {  // in vectors
        const bool wide = s.m == 1 && !packed && left >= 8 && left != 9;
        const int vectors = wide ? 8 : strip_vectors(left);
        s.b = b + j;
        s.b_row = b_row;
        s.c = c + j;
        s.b_last = s.c_last = vectors == left && !padded ? n - j - width : (vectors - 1) * width;
        if (packed) {
            s.b = packed + j * s.k;
            s.b_row = vectors * width;
            s.b_last = s.b_row - width;
        } else if (pack) {
            pack_b(s, vectors, reinterpret_cast<T*>(product_scratch.b));
        }
        switch (vectors) {
            case 1: product_strip<1>(s, FullVector<T>{}); break;
            case 2: product_strip<2>(s, FullVector<T>{}); break;
            case 3: product_strip<3>(s, FullVector<T>{}); break;
            case 8: product_row<8>(s); break;
            default: product_strip<product_strip_vectors>(s, FullVector<T>{}); break;
        }
        j += vectors * width;
        left -= vectors;
    }
}

SIGMA_INLINE std::ptrdiff_t block_depth(std::ptrdiff_t k) {
    const std::ptrdiff_t blocks = max_of<std::ptrdiff_t>(1, (k + product_depth - 1) / product_depth);
    return (k + blocks - 1) / blocks;
}

template <class T>
void product(const ProductArguments<T>& p) {
    const auto block = [&](std::ptrdiff_t from, std::ptrdiff_t count) {
        ProductStrip<T> s{
            p.m, count,   p.a + from * p.a_column, p.a_row, p.a_column, p.b + from * p.b_row, p.b_row, 0, p.c, p.c_row,
            0,   p.alpha, p.accumulate || from > 0};
        if (p.packed)
            return product_strips(s, p.n, p.padded, false,
                                  p.packed + from * ((p.n + lanes<T> - 1) / lanes<T> * lanes<T>));
        // A packed strip of B must serve enough rows to be worth its copy.
        const bool pack = p.m >= 24 && count >= 32 && p.n >= lanes<T>;
        if (!pack || p.n < 256) return product_strips(s, p.n, p.padded, pack);
        // And A enough strips; it is copied when strips that follow would no longer find it in the cache.
        constexpr auto space = static_cast<std::ptrdiff_t>(packed_a_bytes / sizeof(T));
        const std::ptrdiff_t rows = space / packed_a_row<T>(count) / 24 * 24;
        if (2 * p.m < rows) return product_strips(s, p.n, p.padded, pack);
        for (std::ptrdiff_t top = 0; top < p.m; top += rows) {
            ProductStrip<T> part = s;
            part.m = min_of(rows, p.m - top);
            part.a += top * s.a_row;
            part.c += top * s.c_row;
            pack_a(part, reinterpret_cast<T*>(product_scratch.a));
            product_strips(part, p.n, p.padded, true);
        }
    };
    if (p.k <= product_depth) return block(0, p.k);
    for (std::ptrdiff_t from = 0, depth = block_depth(p.k); from < p.k; from += depth)
        block(from, min_of(depth, p.k - from));
}

// Elements of a B that is packed as a whole.
template <class T>
constexpr std::ptrdiff_t packed_elements(std::ptrdiff_t n, std::ptrdiff_t k) {
    return (n + lanes<T> - 1) / lanes<T> * lanes<T> * k;
}
// Copies B in the order in which products read it: block after block along k, in each strip after strip. `n` must be a
// vector at least.
template <class T>
void pack_whole(const T* b, std::ptrdiff_t b_row, std::ptrdiff_t n, std::ptrdiff_t k, bool padded, T* to) {
    constexpr int width = lanes<T>;
    for (std::ptrdiff_t from = 0, depth = block_depth(k); from < k; from += depth) {
        ProductStrip<T> s{};
        s.k = min_of(depth, k - from);
        std::ptrdiff_t j = 0;
        for (std::ptrdiff_t left = (n + width - 1) / width; left > 0;) {
            const int vectors = strip_vectors(left);
            s.b = b + from * b_row + j;
            s.b_row = b_row;
            s.b_last = vectors == left && !padded ? n - j - width : (vectors - 1) * width;
            pack_b(s, vectors, to);
            to += vectors * width * s.k;
            j += vectors * width;
            left -= vectors;
        }
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
