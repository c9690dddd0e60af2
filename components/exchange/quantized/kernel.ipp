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

// The sums of one row and one block, or of its first eight columns, if the block has only these.

#if defined(SIGMA_INT8_PLAIN)
template <int columns>
struct PlainSums {
    std::int32_t sum[columns];

    void clear() {
        for (std::int32_t& each : sum) each = 0;
    }
    void to(std::int32_t* values) const {
        for (int j = 0; j < columns; ++j) values[j] = sum[j];
    }
};
template <int columns>
struct PlainWeights {
    const std::int8_t* b;
    explicit PlainWeights(const std::int8_t* from) : b(from) {}
};
template <int columns>
void add(PlainSums<columns>& sums, const std::int16_t* a, const PlainWeights<columns>& w) {
    for (int j = 0; j < columns; ++j)
        sums.sum[j] += static_cast<std::int32_t>(a[0]) * w.b[2 * j] + static_cast<std::int32_t>(a[1]) * w.b[2 * j + 1];
}
using Sums = PlainSums<16>;
using Weights = PlainWeights<16>;
using NarrowSums = PlainSums<8>;
using NarrowWeights = PlainWeights<8>;
constexpr const char* instructions = "plain";
constexpr int most_rows = 4;
#else
std::int32_t pair_of(const std::int16_t* a) {
    std::int32_t pair;
    __builtin_memcpy(&pair, a, sizeof pair);
    return pair;
}
struct NarrowSums {
    __m256i sum;
    void clear() { sum = _mm256_setzero_si256(); }
    void to(std::int32_t* values) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), sum); }
};
struct NarrowWeights {
    __m256i w;
    explicit NarrowWeights(const std::int8_t* b)
        : w(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b)))) {}
};
void add(NarrowSums& sums, const std::int16_t* a, const NarrowWeights& weights) {
    sums.sum = _mm256_add_epi32(sums.sum, _mm256_madd_epi16(_mm256_set1_epi32(pair_of(a)), weights.w));
}
#if defined(__AVX512BW__)
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
#if defined(__AVX512VNNI__)
    sums.sum = _mm512_dpwssd_epi32(sums.sum, _mm512_set1_epi32(pair_of(a)), weights.w);
#else
    sums.sum = _mm512_add_epi32(sums.sum, _mm512_madd_epi16(_mm512_set1_epi32(pair_of(a)), weights.w));
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
    NarrowSums low, high;
    void clear() { low.clear(), high.clear(); }
    void to(std::int32_t* values) const { low.to(values), high.to(values + 8); }
};
struct Weights {
    NarrowWeights low, high;
    explicit Weights(const std::int8_t* b) : low(b), high(b + 16) {}
};
void add(Sums& sums, const std::int16_t* a, const Weights& w) { add(sums.low, a, w.low), add(sums.high, a, w.high); }
constexpr const char* instructions = "AVX2";
constexpr int most_rows = 6;
#endif
#endif

/// Computes `rows` rows of one block.
template <class S, class W, int rows>
void tile(const Product& p, std::ptrdiff_t first, std::ptrdiff_t block) {
    const std::int8_t* b = p.b + block * p.runs * p.pairs * 2 * block_columns;
    S sums[rows];
    const std::int16_t* a[rows];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sums[r].clear(), a[r] = p.a[first + r];
    for (std::ptrdiff_t run = 0; run < p.runs; ++run) {
        const std::ptrdiff_t begin = p.run_at[run];
        for (std::ptrdiff_t k = begin; k < begin + 2 * p.pairs; k += 2, b += 2 * block_columns) {
            const W weights(b);
#pragma GCC unroll 8
            for (int r = 0; r < rows; ++r) add(sums[r], a[r] + k, weights);
        }
    }
    const std::ptrdiff_t column = block * block_columns;
    const std::ptrdiff_t count = p.columns - column < block_columns ? p.columns - column : block_columns;
#pragma GCC unroll 8  // keeps sums in registers
    for (int r = 0; r < rows; ++r) {
        std::int32_t values[block_columns] = {};
        sums[r].to(values);
        float* const c = p.c + (first + r) * p.c_row + column;
        const float* const scales = p.scales + column;
        const auto put = [&](std::ptrdiff_t j) {
            c[j] = (p.accumulate ? c[j] : 0.0f) + scales[j] * static_cast<float>(values[j]);
        };
        if (count == block_columns)
            for (std::ptrdiff_t j = 0; j < block_columns; ++j) put(j);
        else
            for (std::ptrdiff_t j = 0; j < count; ++j) put(j);
    }
}
template <class S, class W, int rows = most_rows - 1>
void last_tile(const Product& p, std::ptrdiff_t first, std::ptrdiff_t block) {
    if constexpr (rows > 0) {
        if (p.rows - first == rows) tile<S, W, rows>(p, first, block);
        else last_tile<S, W, rows - 1>(p, first, block);
    }
}
template <class S, class W>
void product_by_block(const Product& p, std::ptrdiff_t block) {
    std::ptrdiff_t i = 0;
    for (; i + most_rows <= p.rows; i += most_rows) tile<S, W, most_rows>(p, i, block);
    last_tile<S, W>(p, i, block);
}

void product(const Product& p) {
    for (std::ptrdiff_t block = 0; block * block_columns < p.columns; ++block) {
        if (p.columns - block * block_columns > 8) product_by_block<Sums, Weights>(p, block);
        else product_by_block<NarrowSums, NarrowWeights>(p, block);
    }
}

/// Rounds a number: after the addition of this constant its last bits are the rounded number.
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
