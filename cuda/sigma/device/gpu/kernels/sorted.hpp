// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// What stands before and after a sort of pairs (see Sorting in generated.hpp), each for all threads of the grid. After
/// `lookup_text`.
inline constexpr const char* sorted_text = R"cuda(
#ifndef SIGMA_SORTED
#define SIGMA_SORTED
// For each id the row that it names, or `rows`, and the number of the id.
template <class T>
SIGMA_DEVICE void sigma_pair_rows(const T* ids, long long ids_row, long long ids_each, sigma_u32* keys, int* numbers,
                                  long long count, long long rows) {
    const long long all = SIGMA_BLOCKS * SIGMA_THREADS;
    for (long long i = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; i < count; i += all) {
        const long long row = sigma_row(ids[i / ids_each * ids_row + i % ids_each], rows);
        keys[i] = (sigma_u32)(row < 0 ? rows : row);
        numbers[i] = (int)i;
    }
}

// Sums of segments of equal keys, each column of one by one thread, in order; none for the key `none`. What is added
// and where the sum goes: of.value(number, column), of.to(key, column). What no key names must be 0 already.
template <class T, class Of>
SIGMA_DEVICE void sigma_sum_segments(const Of& of, const sigma_u32* keys, const int* numbers, long long count,
                                     long long width, sigma_u32 none) {
    const long long all = SIGMA_BLOCKS * SIGMA_THREADS;
    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < count * width; at += all) {
        long long i = at / width;
        const long long column = at % width;
        const sigma_u32 key = keys[i];
        if (key == none || (i > 0 && keys[i - 1] == key)) continue;
        T sum = 0;
        for (; i + 8 <= count && keys[i + 7] == key; i += 8) {  // eight loads at once
            T x[8];
            SIGMA_UNROLL
            for (int e = 0; e < 8; ++e) x[e] = of.value(numbers[i + e], column);
            SIGMA_UNROLL
            for (int e = 0; e < 8; ++e) sum += x[e];
        }
        for (; i < count && keys[i] == key; ++i) sum += of.value(numbers[i], column);
        *of.to(key, column) = sum;
    }
}

// A word of a number in the order of numbers, the lowest first: -0 is 0, NaN the greatest.
template <int = 0> SIGMA_DEVICE sigma_u32 sigma_ordered_word(float x, int, bool descending) {
    const float plain = x + 0.0f;
    const sigma_u32 bits = *reinterpret_cast<const sigma_u32*>(&plain);
    const sigma_u32 rank = x != x ? ~0u : bits >> 31 ? ~bits : bits | 1u << 31;
    return descending ? ~rank : rank;
}
template <int = 0> SIGMA_DEVICE sigma_u32 sigma_ordered_word(double x, int word, bool descending) {
    const double plain = x + 0.0;
    const sigma_u64 bits = *reinterpret_cast<const sigma_u64*>(&plain);
    const sigma_u64 rank = x != x ? ~0ull : bits >> 63 ? ~bits : bits | 1ull << 63;
    return (sigma_u32)((descending ? ~rank : rank) >> 32 * word);
}
#endif
)cuda";

}  // namespace sigma::on_gpu
