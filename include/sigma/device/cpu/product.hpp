// SPDX-License-Identifier: BSL-1.0
// The matrix product on one thread. Measurements and reasons: docs/design/matrix-product.md
#pragma once

#include <cstddef>
#include <type_traits>

#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/product_dots.hpp>
#include <sigma/device/cpu/product_tile.hpp>
#include <sigma/device/cpu/transpose.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Order of sums. An element of C depends only on its row of A, its column of B, k, alpha and its previous value:
//   k is divided into the fewest blocks of at most product_depth terms, of equal size except the last (a function of
//   k); each block is one chain sum = fma(a, b, sum) from zero; then c = alpha * sum, or fma(alpha, sum, c), block by
//   block.
// Every tile, tail and packing follows this order, so a caller may divide rows and columns in any way. The exception is
// a C of a single column with a plain A, which has its own order (product_dots.hpp).

// Returns the number of vectors of the next strip if `left` remain. No single vector may remain, because it would
// overlap a finished strip.
SIGMA_INLINE int strip_vectors(std::ptrdiff_t left) {
    return left == product_strip_vectors + 1 ? 3
           : left < product_strip_vectors    ? static_cast<int>(left)
                                             : product_strip_vectors;
}

// Computes one or two rows of C by G vectors, from a plain A and a transposed B. Blocks of B are transposed in
// registers and used at once.
template <int R, int G, class T>
SIGMA_INLINE void turned_tile(const ProductStrip<T>& s, std::ptrdiff_t row, std::ptrdiff_t j) {
    constexpr int W = lanes<T>;
    Vector<T> sums[R][G];
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int g = 0; g < G; ++g) sums[r][g] = Vector<T>(T(0));
    }
    const T* a = s.a + row * s.a_row;
    const T* b = s.b + j * s.b_row;
    const std::ptrdiff_t a_row = s.a_row, b_row = s.b_row;
    // Rows that share few sets of the cache would evict each other: parts of them are copied first.
    const bool apart = b_row * static_cast<std::ptrdiff_t>(sizeof(T)) % 2048 == 0;
    constexpr int wide = 8 * W, copied_row = wide + 64 / static_cast<int>(sizeof(T));
    alignas(64) T copied[G * W * copied_row];
    std::ptrdiff_t k = 0;
    for (; k + W <= s.k; k += W, b += W, a += W) {
        if (apart && k % wide == 0)
            for (int l = 0; l < G * W; ++l)
                copy(b + l * b_row, min_of<std::ptrdiff_t>(wide, s.k - k), copied + l * copied_row);
        const T* const from = apart ? copied + k % wide : b;
        const std::ptrdiff_t from_row = apart ? copied_row : b_row;
        SIGMA_UNROLL
        for (int g = 0; g < G; ++g) {
            Register<T> turned[W];
            turn_block<T, W>(from + g * W * from_row, from_row, turned);
            SIGMA_UNROLL
            for (int i = 0; i < W; ++i) {
                SIGMA_UNROLL
                for (int r = 0; r < R; ++r)
                    sums[r][g] = fused_multiply_add<T>(Vector<T>(a[r * a_row + i]), turned[i], sums[r][g]);
            }
        }
    }
    for (; k < s.k; ++k, ++b, ++a) {
        SIGMA_UNROLL
        for (int g = 0; g < G; ++g) {
            Register<T> column{};
            for (int l = 0; l < W; ++l) column[l] = b[(g * W + l) * b_row];
            SIGMA_UNROLL
            for (int r = 0; r < R; ++r) sums[r][g] = fused_multiply_add<T>(Vector<T>(a[r * a_row]), column, sums[r][g]);
        }
    }
    const Vector<T> alpha(s.alpha);
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int g = 0; g < G; ++g) {
            T* const c = s.c + (row + r) * s.c_row + j + g * W;
            const Vector<T> sum = sums[r][g];
            if (s.accumulate) FullVector<T>{}.store(c, fused_multiply_add<T>(alpha, sum, FullVector<T>{}.load(c)));
            else FullVector<T>{}.store(c, alpha * sum);
        }
    }
}
template <int R, class T>
SIGMA_INLINE void turned_tiles(const ProductStrip<T>& s, std::ptrdiff_t row, std::ptrdiff_t columns) {
    constexpr int W = lanes<T>, G = register_bytes == 64 || R == 1
                                        ? 2
                                        : 1;  // enough sums to keep the units busy, as many as fit the registers
    std::ptrdiff_t j = 0;
    for (; j + G * W <= columns; j += G * W) turned_tile<R, G>(s, row, j);
    if (G > 1 && j < columns) turned_tile<R, 1>(s, row, j);
}
inline constexpr std::ptrdiff_t most_turned_rows = 2;  // for more rows a copy of B pays
template <class T>
inline constexpr bool turns_in_registers = sizeof(T) == 4 || lanes<T> <= 4;
/// Computes all columns that form whole vectors.
template <class T>
[[gnu::noinline]] void turned_strips(const ProductStrip<T>& s, std::ptrdiff_t columns) {
    if (s.m == 2) turned_tiles<2>(s, 0, columns);
    else turned_tiles<1>(s, 0, columns);
}

enum class ProductB { plain, copied, transposed };

template <class T>
void product_strips(ProductStrip<T>& s, std::ptrdiff_t n, bool padded, ProductB form, const T* packed = nullptr) {
    constexpr int width = lanes<T>;
    T* const scratch = form == ProductB::plain ? nullptr : reinterpret_cast<T*>(product_scratch().b);
    if (n < width && !padded) {
        s.b_last = s.c_last = 0;
        if (form == ProductB::transposed) pack_b_transposed(s, 1, n, scratch);
        if (n > 0) product_strip<1>(s, MaskedVector<T>{static_cast<int>(n)});
        return;
    }
    const T* const b = s.b;
    T* const c = s.c;
    const std::ptrdiff_t b_row = s.b_row;
    std::ptrdiff_t j = 0;
    for (std::ptrdiff_t left = (n + width - 1) / width; left > 0;) {  // in vectors
        const bool wide = s.m == 1 && form == ProductB::plain && !packed && left >= 8 && left != 9;
        const int vectors = wide ? 8 : strip_vectors(left);
        s.b = form == ProductB::transposed ? b + j * b_row : b + j;
        s.b_row = b_row;
        s.c = c + j;
        s.b_last = s.c_last = vectors == left && !padded ? n - j - width : (vectors - 1) * width;
        if (packed) {
            s.b = packed + j * s.k;
            s.b_row = vectors * width;
            s.b_last = s.b_row - width;
        } else if (form == ProductB::transposed) {
            pack_b_transposed(s, vectors, min_of<std::ptrdiff_t>(n - j, vectors * width), scratch);
        } else if (form == ProductB::copied) {
            pack_b(s, vectors, scratch);
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
[[gnu::noinline]] void product_blocks(const ProductArguments<T>& p) {
    const auto block = [&](std::ptrdiff_t from, std::ptrdiff_t count) {
        const std::ptrdiff_t b_from = p.b_transposed ? from : from * p.b_row;
        ProductStrip<T> s{
            p.m, count,   p.a + from * p.a_column, p.a_row, p.a_column, p.b + b_from, p.b_row, 0, p.c, p.c_row,
            0,   p.alpha, p.accumulate || from > 0};
        const T* const packed = p.packed ? p.packed + from * ((p.n + lanes<T> - 1) / lanes<T> * lanes<T>) : nullptr;
        // Packing a strip of B pays only for enough rows.
        const bool pack = p.m >= 128 && count >= 32 && p.n >= lanes<T>;
        if constexpr (turns_in_registers<T>)
            if (p.b_transposed && p.a_column == 1 && p.m > 0 && p.m <= most_turned_rows && p.n >= lanes<T>) {
                const std::ptrdiff_t columns = p.n / lanes<T> * lanes<T>;
                turned_strips(s, columns);
                s.b += columns * s.b_row;
                s.c += columns;
                return product_strips(s, p.n - columns, false, ProductB::transposed);
            }
        const ProductB form = p.b_transposed    ? ProductB::transposed
                              : pack && !packed ? ProductB::copied
                                                : ProductB::plain;
        if (!pack || p.n < 256) return product_strips(s, p.n, p.padded, form, packed);
        // Packing A pays only for enough strips: if later strips would not find it in the cache.
        constexpr auto space = static_cast<std::ptrdiff_t>(packed_a_bytes / sizeof(T));
        const std::ptrdiff_t rows = space / packed_a_row<T>(count) / 24 * 24;
        if (2 * p.m < rows) return product_strips(s, p.n, p.padded, form, packed);
        for (std::ptrdiff_t top = 0; top < p.m; top += rows) {
            ProductStrip<T> part = s;
            part.m = min_of(rows, p.m - top);
            part.a += top * s.a_row;
            part.c += top * s.c_row;
            pack_a(part, reinterpret_cast<T*>(product_scratch().a));
            product_strips(part, p.n, p.padded, form, packed);
        }
    };
    if (p.k <= product_depth) return block(0, p.k);
    for (std::ptrdiff_t from = 0, depth = block_depth(p.k); from < p.k; from += depth)
        block(from, min_of(depth, p.k - from));
}

// Computes a C of one column from a transposed A. The transpose of C is a row: that of B times that of A, which is
// plain. Parts of this row are computed in a buffer, and the column of C is gathered and scattered.
template <class T>
void product_column(const ProductArguments<T>& p) {
    constexpr std::ptrdiff_t most = product_strip_vectors * lanes<T>;
    alignas(64) T row[most] = {};
    const std::ptrdiff_t b_step = p.b_transposed ? 1 : p.b_row;
    for (std::ptrdiff_t i = 0; i < p.m; i += most) {
        const std::ptrdiff_t now = min_of(most, p.m - i);
        T* const c = p.c + i * p.c_row;
        if (p.accumulate)
            for (std::ptrdiff_t j = 0; j < now; ++j) row[j] = c[j * p.c_row];
        product_blocks(ProductArguments<T>{1, now, p.k, p.b, p.k, b_step, p.a + i * p.a_row, p.a_column, row, most,
                                           p.alpha, p.accumulate});
        for (std::ptrdiff_t j = 0; j < now; ++j) c[j * p.c_row] = row[j];
    }
}

// Computes one row of C. If there are few sums, all are computed at the same time.
template <class T>
void product_of_row(const ProductArguments<T>& p) {
    constexpr int width = lanes<T>;
    const T* b = p.b;
    T* c = p.c;
    const auto strip = [&]<int V>(std::integral_constant<int, V>, auto end) {
        constexpr std::ptrdiff_t last = (V - 1) * width;
        product_tile<1, V>(
            ProductStrip<T>{1, p.k, p.a, 0, p.a_column, b, p.b_row, last, c, 0, last, p.alpha, p.accumulate}, 0, end);
        b += V * width, c += V * width;
    };
    std::ptrdiff_t left = p.padded ? (p.n + width - 1) / width : p.n / width;
    for (; left >= 8; left -= 8) strip(std::integral_constant<int, 8>{}, FullVector<T>{});
    if (left >= 4) strip(std::integral_constant<int, 4>{}, FullVector<T>{}), left -= 4;
    if (left >= 2) strip(std::integral_constant<int, 2>{}, FullVector<T>{}), left -= 2;
    if (left > 0) strip(std::integral_constant<int, 1>{}, FullVector<T>{});
    if (const int rest = p.padded ? 0 : static_cast<int>(p.n % width); rest > 0)
        strip(std::integral_constant<int, 1>{}, MaskedVector<T>{rest});
}

template <class T>
void product(const ProductArguments<T>& p) {
    if (p.n == 1 && p.a_column == 1) return product_dots(p);
    if (p.m == 1 && p.k <= product_depth && !p.b_transposed) return product_of_row(p);
    if (p.n == 1 && p.m >= 2 * lanes<T> && p.a_row == 1) return product_column(p);
    product_blocks(p);
}

// Returns the number of elements of a completely packed B.
template <class T>
constexpr std::ptrdiff_t packed_elements(std::ptrdiff_t n, std::ptrdiff_t k) {
    return (n + lanes<T> - 1) / lanes<T> * lanes<T> * k;
}
// Copies B in the order in which products read it: blocks along k, and strips in each block. `n` must be at least one
// vector.
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
