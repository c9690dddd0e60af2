// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/lanes.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

template <int a, int b, int c, int d, class T, int bytes, int... i>
SIGMA_INLINE Register<T, bytes> shuffled_blocks(Register<T, bytes> x, Register<T, bytes> y,
                                                std::integer_sequence<int, i...>) {
    constexpr int n = sizeof...(i), chosen[4] = {a, b, c, d};
    return __builtin_shufflevector(x, y, (i / 4 * 4 + chosen[i % 4] % 4 + chosen[i % 4] / 4 * n)...);
}
// Selects the lanes a, b, c, d of each 128 bits, where 0..3 are x's and 4..7 are y's.
template <int a, int b, int c, int d, int bytes>
SIGMA_INLINE Register<float, bytes> shuffle_blocks(Register<float, bytes> x, Register<float, bytes> y) {
    return shuffled_blocks<a, b, c, d, float, bytes>(x, y, std::make_integer_sequence<int, bytes / 4>{});
}
// Transposes the block of 4 x 4 in each 128 bits of r[0..3].
template <int bytes>
SIGMA_INLINE void transpose_fours(Register<float, bytes>* r) {
    const auto t0 = shuffle_blocks<0, 4, 1, 5, bytes>(r[0], r[1]), t1 = shuffle_blocks<2, 6, 3, 7, bytes>(r[0], r[1]);
    const auto t2 = shuffle_blocks<0, 4, 1, 5, bytes>(r[2], r[3]), t3 = shuffle_blocks<2, 6, 3, 7, bytes>(r[2], r[3]);
    r[0] = shuffle_blocks<0, 1, 4, 5, bytes>(t0, t2), r[1] = shuffle_blocks<2, 3, 6, 7, bytes>(t0, t2);
    r[2] = shuffle_blocks<0, 1, 4, 5, bytes>(t1, t3), r[3] = shuffle_blocks<2, 3, 6, 7, bytes>(t1, t3);
}

}  // namespace detail

// Transposes a square block of B x B elements: r[j] becomes from(i, j) for all i. Blocks of 4 x 4 are gathered by loads
// of 128 bits, from rows that are B / 4 registers apart, so that only shuffles within 128 bits remain.
template <class T, int B>
SIGMA_INLINE void turn_block(const T* from, std::ptrdiff_t from_row,
                             Register<T, B* static_cast<int>(sizeof(T))> (&r)[B]) {
    constexpr int bytes = B * static_cast<int>(sizeof(T));
    if constexpr (B == 2) {
        const auto r0 = load_register<T, bytes>(from), r1 = load_register<T, bytes>(from + from_row);
        r[0] = __builtin_shufflevector(r0, r1, 0, 2);
        r[1] = __builtin_shufflevector(r0, r1, 1, 3);
    } else if constexpr (sizeof(T) == 8) {
        static_assert(B == 4);
        Register<T, bytes> t[4];
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) r[i] = load_register<T, bytes>(from + i * from_row);
        SIGMA_UNROLL
        for (int i = 0; i < 4; i += 2) {
            t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 4, 2, 6);
            t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 5, 3, 7);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 2; ++i) {
            r[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 4, 5);
            r[i + 2] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 6, 7);
        }
    } else if constexpr (B == 4) {
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) r[i] = load_register<T, bytes>(from + i * from_row);
        detail::transpose_fours<bytes>(r);
    } else if constexpr (B == 8) {
        SIGMA_UNROLL  // rows i and i + 4 share a register, so that only shuffles within 128 bits remain
            for (int i = 0; i < 4; ++i) {
            const T *upper = from + i * from_row, *lower = upper + 4 * from_row;
            r[i] = both_halves<T, bytes>(load_register<T, 16>(upper), load_register<T, 16>(lower));
            r[i + 4] = both_halves<T, bytes>(load_register<T, 16>(upper + 4), load_register<T, 16>(lower + 4));
        }
        detail::transpose_fours<bytes>(r);
        detail::transpose_fours<bytes>(r + 4);
    } else {
        static_assert(B == 16);
        Register<T, bytes> t[16];
        SIGMA_UNROLL
        for (int i = 0; i < 16; ++i, from += from_row) {
            asm("" : "+r"(from));  // otherwise g++ computes sixteen addresses, for which it has no registers
            r[i] = load_register<T, bytes>(from);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 16; i += 4) detail::transpose_fours<bytes>(r + i);
        const auto even = [](auto x, auto y) {
            return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        };
        const auto odd = [](auto x, auto y) {
            return __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        };
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) {
            t[i] = even(r[i], r[i + 4]);
            t[i + 4] = odd(r[i], r[i + 4]);
            t[i + 8] = even(r[i + 8], r[i + 12]);
            t[i + 12] = odd(r[i + 8], r[i + 12]);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 8; ++i) {
            r[i] = even(t[i], t[i + 8]);
            r[i + 8] = odd(t[i], t[i + 8]);
        }
    }
}

// B == 1 moves one element and works everywhere.
template <class T, int B>
SIGMA_INLINE void transpose_block(const T* from, std::ptrdiff_t from_row, T* to, std::ptrdiff_t to_row) {
    constexpr int bytes = B * static_cast<int>(sizeof(T));
    if constexpr (B == 1) {
        *to = *from;
    } else {
        Register<T, bytes> r[B];
        turn_block<T, B>(from, from_row, r);
        SIGMA_UNROLL
        for (int i = 0; i < B; ++i) store_register<T, bytes>(to + i * to_row, r[i]);
    }
}

template <class T, int B>
void transpose_blocks(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row);

// Transposes rows that share few sets of the cache and would evict each other: parts of them are copied first.
template <class T, int B>
void transpose_apart(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row) {
    constexpr int high = 32, wide = 64, row = wide + 64 / static_cast<int>(sizeof(T));
    alignas(64) T copied[high * row];
    for (int top = 0; top < rows; top += high) {
        const int i = rows < high ? 0 : min_of(top, rows - high), count = min_of(high, rows);
        for (int left = 0; left < columns; left += wide) {
            const int j = columns < wide ? 0 : min_of(left, columns - wide), length = min_of(wide, columns);
            for (int r = 0; r < count; ++r) copy(from + (i + r) * from_row + j, length, copied + r * row);
            transpose_blocks<T, B>(copied, row, count, length, to + j * to_row + i, to_row);
        }
    }
}

// Covers the matrix with blocks of B. The last ones overlap their neighbors and write the same values again, so that no
// edge needs a mask. Bands of rows keep half-read lines of `from` in the cache.
template <class T, int B>
void transpose_blocks(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row) {
    constexpr int band = 32;
    if constexpr (B > 2)
        if (from_row * static_cast<std::ptrdiff_t>(sizeof(T)) % 2048 == 0 && columns > 2 * B)
            return transpose_apart<T, B>(from, from_row, rows, columns, to, to_row);
    for (int top = 0; top < rows; top += band) {
        const int bottom = min_of(top + band, rows);
        for (int next = 0; next < columns; next += B) {
            const int j = min_of(next, columns - B);
            for (int i = top; i < bottom; i += B) {
                const int row = min_of(i, rows - B);
                transpose_block<T, B>(from + row * from_row + j, from_row, to + j * to_row + row, to_row);
            }
        }
    }
}

// to(j, i) = from(i, j), for i < rows and j < columns; the two must not overlap.
template <class T>
void transpose(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row) {
    const int least = min_of(rows, columns);
    constexpr bool single = std::is_same_v<T, float>;
    static_assert(single || std::is_same_v<T, double>, "transpose: float or double");
    if constexpr (single && register_bytes >= 64)
        if (least >= 16) return transpose_blocks<T, 16>(from, from_row, rows, columns, to, to_row);
    if constexpr (register_bytes >= 32)
        if (least >= (single ? 8 : 4))
            return transpose_blocks<T, single ? 8 : 4>(from, from_row, rows, columns, to, to_row);
    if (least >= (single ? 4 : 2))
        return transpose_blocks<T, single ? 4 : 2>(from, from_row, rows, columns, to, to_row);
    transpose_blocks<T, 1>(from, from_row, rows, columns, to, to_row);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
