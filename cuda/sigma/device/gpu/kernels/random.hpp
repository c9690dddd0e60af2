// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of random numbers, bit-identical to those of device/cpu/random.hpp.
inline constexpr const char* random_text = R"cuda(
#ifndef SIGMA_RANDOM
#define SIGMA_RANDOM
struct sigma_random { sigma_u32 word[4]; };

// Philox4x32-10 (J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
SIGMA_DEVICE sigma_random sigma_philox(sigma_random counter, sigma_u64 seed) {
    sigma_u32 k0 = (sigma_u32)seed, k1 = (sigma_u32)(seed >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const sigma_u64 even = 0xD2511F53ull * counter.word[0], odd = 0xCD9E8D57ull * counter.word[2];
        counter = {{(sigma_u32)(odd >> 32) ^ counter.word[1] ^ k0, (sigma_u32)odd,
                    (sigma_u32)(even >> 32) ^ counter.word[3] ^ k1, (sigma_u32)even}};
    }
    return counter;
}

// Draws uniform numbers in [0, 1): element (row, 32 b + 8 w + j) is word w of the block with counter
// (8 b + j, row, step, stream).
template <class T>
SIGMA_DEVICE void sigma_fill_uniform(T* to, long long rows, long long columns, long long row_step, sigma_u32 stream,
                                     const sigma_counters* key, sigma_u32 rows_of_record) {
    const long long left = columns % 32, each = columns / 32 * 8 + (left < 8 ? left : 8);  // counters of a row
    const sigma_u64 seed = key->seed;
    const sigma_u32 step = (sigma_u32)key->step, before = (sigma_u32)key->record * rows_of_record;
    const long long all = SIGMA_BLOCKS * SIGMA_THREADS;
    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < rows * each; at += all) {
        const long long row = at / each, number = at % each;
        const sigma_random drawn = sigma_philox({{(sigma_u32)number, before + (sigma_u32)row, step, stream}}, seed);
        SIGMA_UNROLL
        for (int i = 0; i < 4; ++i) {
            const long long column = number / 8 * 32 + 8 * i + number % 8;
            if (column < columns) to[row * row_step + column] = (T)(int)(drawn.word[i] >> 8) * (T)5.9604644775390625e-8;
        }
    }
}
#endif
)cuda";

}  // namespace sigma::on_gpu
