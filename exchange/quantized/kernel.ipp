// SPDX-License-Identifier: BSL-1.0
// Compiled once for each set of instructions, which the build names: SIGMA_INT8 is plain, avx2, avx512 or vnni.
#pragma once
#include "kernel.hpp"

#include <bit>
#if !defined(SIGMA_INT8_PLAIN)
#include <immintrin.h>
#endif

namespace sigma::int8::SIGMA_INT8 {

namespace {

#if defined(SIGMA_INT8_PLAIN)
/// The sums of one row and one block.
struct Sums {
    std::int32_t sum[block_columns];

    void clear() {
        for (std::int32_t& each : sum) each = 0;
    }
    void add(const std::int16_t* a, const std::int8_t* b) {
        for (std::ptrdiff_t j = 0; j < block_columns; ++j)
            sum[j] += static_cast<std::int32_t>(a[0]) * b[2 * j] + static_cast<std::int32_t>(a[1]) * b[2 * j + 1];
    }
    void to(std::int32_t* values) const {
        for (std::ptrdiff_t j = 0; j < block_columns; ++j) values[j] = sum[j];
    }
};
struct Weights {
    const std::int8_t* b;
    explicit Weights(const std::int8_t* from) : b(from) {}
};
void add(Sums& sums, const std::int16_t* a, const Weights& w) { sums.add(a, w.b); }
constexpr const char* instructions = "plain";
constexpr int most_rows = 4;
#elif defined(__AVX512BW__)
struct Sums {
    __m512i sum;
    void clear() { sum = _mm512_setzero_si512(); }
    void to(std::int32_t* values) const { _mm512_storeu_si512(values, sum); }
};
struct Weights {
    __m512i w;
    explicit Weights(const std::int8_t* b)
        : w(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)))) {}
};
void add(Sums& sums, const std::int16_t* a, const Weights& weights) {
    std::int32_t pair;
    __builtin_memcpy(&pair, a, sizeof pair);
#if defined(__AVX512VNNI__)
    sums.sum = _mm512_dpwssd_epi32(sums.sum, _mm512_set1_epi32(pair), weights.w);
#else
    sums.sum = _mm512_add_epi32(sums.sum, _mm512_madd_epi16(_mm512_set1_epi32(pair), weights.w));
#endif
}
#if defined(__AVX512VNNI__)
constexpr const char* instructions = "AVX-512 VNNI";
#else
constexpr const char* instructions = "AVX-512";
#endif
constexpr int most_rows = 8;
#else
struct Sums {
    __m256i low, high;
    void clear() { low = high = _mm256_setzero_si256(); }
    void to(std::int32_t* values) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), low);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + 8), high);
    }
};
struct Weights {
    __m256i low, high;
    explicit Weights(const std::int8_t* b)
        : low(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b)))),
          high(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 16)))) {}
};
void add(Sums& sums, const std::int16_t* a, const Weights& w) {
    std::int32_t pair;
    __builtin_memcpy(&pair, a, sizeof pair);
    const __m256i both = _mm256_set1_epi32(pair);
    sums.low = _mm256_add_epi32(sums.low, _mm256_madd_epi16(both, w.low));
    sums.high = _mm256_add_epi32(sums.high, _mm256_madd_epi16(both, w.high));
}
constexpr const char* instructions = "AVX2";
constexpr int most_rows = 6;
#endif

/// So many rows of one block.
template <int rows>
void tile(const Product& p, std::ptrdiff_t first, std::ptrdiff_t block) {
    const std::ptrdiff_t length = 2 * p.pairs;
    const std::int8_t* b = p.b + block * length * block_columns;
    const std::int16_t* a = p.a + first * length;
    Sums sums[rows];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sums[r].clear();
    for (std::ptrdiff_t k = 0; k < length; k += 2, b += 2 * block_columns) {
        const Weights weights(b);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) add(sums[r], a + r * length + k, weights);
    }
    const std::ptrdiff_t column = block * block_columns;
    const std::ptrdiff_t count = p.columns - column < block_columns ? p.columns - column : block_columns;
#pragma GCC unroll 8  // otherwise sums would be in memory, and not in registers
    for (int r = 0; r < rows; ++r) {
        std::int32_t values[block_columns];
        sums[r].to(values);
        float* const c = p.c + (first + r) * p.c_row + column;
        const float* const scales = p.scales + column;
        for (std::ptrdiff_t j = 0; j < count; ++j)
            c[j] = (p.accumulate ? c[j] : 0.0f) + scales[j] * static_cast<float>(values[j]);
    }
}
template <int rows = most_rows - 1>
void last_tile(const Product& p, std::ptrdiff_t first, std::ptrdiff_t block) {
    if constexpr (rows > 0) {
        if (p.rows - first == rows) tile<rows>(p, first, block);
        else last_tile<rows - 1>(p, first, block);
    }
}

void product(const Product& p) {
    const std::ptrdiff_t blocks = (p.columns + block_columns - 1) / block_columns;
    for (std::ptrdiff_t block = 0; block < blocks; ++block) {
        std::ptrdiff_t i = 0;
        for (; i + most_rows <= p.rows; i += most_rows) tile<most_rows>(p, i, block);
        last_tile(p, i, block);
    }
}

/// Added to a number of so many bits its last ones are the rounded number.
std::int16_t rounded(float x) {
    x = x > 127 ? 127 : x;
    x = x < -127 ? -127 : x;
    return static_cast<std::int16_t>(std::bit_cast<std::int32_t>(x + 12582912.0f) - 0x4B400000);
}
bool round(const float* from, std::ptrdiff_t count, float scale, std::int16_t* to) {
    bool fine = true;
    std::ptrdiff_t i = 0;
#if !defined(SIGMA_INT8_PLAIN)
    const __m256 by = _mm256_set1_ps(scale), most = _mm256_set1_ps(127), least = _mm256_set1_ps(-127);
    __m256 nan = _mm256_setzero_ps();
    for (; i + 16 <= count; i += 16) {
        const __m256 x = _mm256_mul_ps(_mm256_loadu_ps(from + i), by),
                     y = _mm256_mul_ps(_mm256_loadu_ps(from + i + 8), by);
        nan = _mm256_or_ps(nan, _mm256_cmp_ps(x, y, _CMP_UNORD_Q));
        const auto whole = [&](__m256 z) { return _mm256_cvtps_epi32(_mm256_max_ps(least, _mm256_min_ps(most, z))); };
        const __m256i both = _mm256_packs_epi32(whole(x), whole(y));  // by halves
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_permute4x64_epi64(both, 0xD8));
    }
    fine = _mm256_movemask_ps(nan) == 0;
#endif
    for (; i < count; ++i) {
        const float x = from[i] * scale;
        fine = fine && x == x;
        to[i] = rounded(x);
    }
    return fine;
}

}  // namespace

const Functions functions{&product, &round, instructions};

}  // namespace sigma::int8::SIGMA_INT8
