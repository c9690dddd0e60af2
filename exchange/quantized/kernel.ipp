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
    std::int32_t sum[block_columns]{};

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
    __m512i sum = _mm512_setzero_si512();
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
    __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
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
    for (std::ptrdiff_t k = 0; k < length; k += 2, b += 2 * block_columns) {
        const Weights weights(b);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) add(sums[r], a + r * length + k, weights);
    }
    const std::ptrdiff_t column = block * block_columns;
    const std::ptrdiff_t count = p.columns - column < block_columns ? p.columns - column : block_columns;
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

bool round(const float* from, std::ptrdiff_t count, float scale, std::int16_t* to) {
    bool fine = true;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        float x = from[i] * scale;
        fine &= x == x;
        x = x > 127 ? 127 : x;
        x = x < -127 ? -127 : x;
        // Added to a number of so many bits its last ones are the rounded number.
        to[i] = static_cast<std::int16_t>(std::bit_cast<std::int32_t>(x + 12582912.0f) - 0x4B400000);
    }
    return fine;
}

}  // namespace

const Functions functions{&product, &round, instructions};

}  // namespace sigma::int8::SIGMA_INT8
