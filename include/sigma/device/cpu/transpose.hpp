// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/lanes.hpp>

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

// Square blocks of B x B elements, transposed in registers. B == 1 moves one element and works everywhere.
template <class T, int B>
SIGMA_INLINE void transpose_block(const T* from, std::ptrdiff_t from_row, T* to, std::ptrdiff_t to_row) {
    if constexpr (B == 1) *to = *from;
#if defined(__SSE2__)
    else if constexpr (std::is_same_v<T, float> && B == 4) {
        __m128 r0 = _mm_loadu_ps(from), r1 = _mm_loadu_ps(from + from_row);
        __m128 r2 = _mm_loadu_ps(from + 2 * from_row), r3 = _mm_loadu_ps(from + 3 * from_row);
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        _mm_storeu_ps(to, r0), _mm_storeu_ps(to + to_row, r1);
        _mm_storeu_ps(to + 2 * to_row, r2), _mm_storeu_ps(to + 3 * to_row, r3);
    } else if constexpr (std::is_same_v<T, double> && B == 2) {
        const __m128d r0 = _mm_loadu_pd(from), r1 = _mm_loadu_pd(from + from_row);
        _mm_storeu_pd(to, _mm_unpacklo_pd(r0, r1)), _mm_storeu_pd(to + to_row, _mm_unpackhi_pd(r0, r1));
    }
#endif
#if defined(__AVX__)
    else if constexpr (std::is_same_v<T, double> && B == 4) {
        __m256d r[4], t[4];
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(from + i * from_row);
        SIGMA_UNROLL
        for (int i = 0; i < 4; i += 2) {
            t[i] = _mm256_unpacklo_pd(r[i], r[i + 1]);
            t[i + 1] = _mm256_unpackhi_pd(r[i], r[i + 1]);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 2; ++i) {
            _mm256_storeu_pd(to + i * to_row, _mm256_permute2f128_pd(t[i], t[i + 2], 0x20));
            _mm256_storeu_pd(to + (i + 2) * to_row, _mm256_permute2f128_pd(t[i], t[i + 2], 0x31));
        }
    } else if constexpr (std::is_same_v<T, float> && B == 8) {
        __m256 r[8], t[8];
        SIGMA_UNROLL  // rows i and i + 4 share a register, so that only in-lane shuffles remain
            for (int i = 0; i < 4; ++i) {
            const float *upper = from + i * from_row, *lower = upper + 4 * from_row;
            r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(upper)), _mm_loadu_ps(lower), 1);
            r[i + 4] =
                _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(upper + 4)), _mm_loadu_ps(lower + 4), 1);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
            t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 8; i += 4) {
            SIGMA_UNROLL
            for (int h = 0; h < 2; ++h) {
                float* row = to + (i + 2 * h) * to_row;
                _mm256_storeu_ps(row, _mm256_shuffle_ps(t[i + h], t[i + h + 2], 0x44));
                _mm256_storeu_ps(row + to_row, _mm256_shuffle_ps(t[i + h], t[i + h + 2], 0xEE));
            }
        }
    }
#endif
#if defined(__AVX512F__)
    else if constexpr (std::is_same_v<T, float> && B == 16) {
        __m512 r[16], t[16];
        SIGMA_UNROLL
        for (int i = 0; i < 16; ++i) r[i] = _mm512_loadu_ps(from + i * from_row);
        SIGMA_UNROLL
        for (int i = 0; i < 16; i += 2) {
            t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
            t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 16; i += 4) {
            r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
            r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xEE);
            r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
            r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) {
            t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
            t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xDD);
            t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
            t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xDD);
        }
        SIGMA_UNROLL
        for (int i = 0; i < 8; ++i) {
            _mm512_storeu_ps(to + i * to_row, _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88));
            _mm512_storeu_ps(to + (i + 8) * to_row, _mm512_shuffle_f32x4(t[i], t[i + 8], 0xDD));
        }
    }
#endif
}

// Covers the matrix with blocks of B; the last ones overlap their neighbours and write the same values again, so
// that no edge needs a mask. Bands of rows keep the half-read cache lines of `from` near.
template <class T, int B>
void transpose_blocks(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row) {
    constexpr int band = 32;
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
    [[maybe_unused]] const int least = min_of(rows, columns);
    constexpr bool single = std::is_same_v<T, float>;
    static_assert(single || std::is_same_v<T, double>, "transpose: float or double");
#if defined(__AVX512F__)
    if constexpr (single)
        if (least >= 16) return transpose_blocks<T, 16>(from, from_row, rows, columns, to, to_row);
#endif
#if defined(__AVX__)
    if (least >= (single ? 8 : 4))
        return transpose_blocks < T, single ? 8 : 4 > (from, from_row, rows, columns, to, to_row);
#endif
#if defined(__SSE2__)
    if (least >= (single ? 4 : 2))
        return transpose_blocks < T, single ? 4 : 2 > (from, from_row, rows, columns, to, to_row);
#endif
    transpose_blocks<T, 1>(from, from_row, rows, columns, to, to_row);
}

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
