// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of lookups of table rows by their numbers, and of sums into rows without atomic operations.
inline constexpr const char* lookup_text = R"cuda(
#ifndef SIGMA_LOOKUP
#define SIGMA_LOOKUP
// Returns the row of the table for an id, or -1: an invalid number is never used as an address.
template <class T> SIGMA_DEVICE long long sigma_row(T id, long long rows) {
    return id >= (T)0 && id < (T)rows ? (long long)id : -1;
}
template <class T> SIGMA_DEVICE bool sigma_sixteen(const T* p) { return (reinterpret_cast<sigma_u64>(p) & 15) == 0; }

// Copies the rows of the ids, a V at a time; NaN for an invalid id. Ids lie `ids_each` side by side in rows `ids_row`
// apart.
template <class V, class T>
SIGMA_DEVICE void sigma_lookup(const T* table, long long table_row, const T* ids, long long ids_row, long long ids_each,
                               T* to, long long to_row, long long count, long long width, long long rows) {
    const long long per = sizeof(V) / sizeof(T), each = width / per, all = SIGMA_BLOCKS * SIGMA_THREADS;
    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < count * each; at += all) {
        const long long i = at / each, j = at % each * per;
        const long long row = sigma_row(ids[i / ids_each * ids_row + i % ids_each], rows);
        T* const result = to + i * to_row + j;
        if (row >= 0) *reinterpret_cast<V*>(result) = *reinterpret_cast<const V*>(table + row * table_row + j);
        else for (int x = 0; x < per; ++x) result[x] = (T)nan("");
    }
}

// Converts ids to adjacent integers; -1 for an invalid id.
template <class T>
SIGMA_DEVICE void sigma_number_rows(const T* ids, long long ids_row, long long ids_each, int* to, long long count,
                                    long long rows) {
    const long long all = SIGMA_BLOCKS * SIGMA_THREADS;
    for (long long i = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; i < count; i += all)
        to[i] = (int)sigma_row(ids[i / ids_each * ids_row + i % ids_each], rows);
}

#ifdef SIGMA_HOST
enum { sigma_columns_each = 64 };  // so that a group of one thread does not read all ids for every few columns
#else
enum { sigma_columns_each = 4 };
#endif

// to = Σ of the rows of `from` with number `row`, in order. For a group: each thread reads eight numbers, then all
// threads add the rows that were found.
template <class T>
SIGMA_DEVICE void sigma_sum_rows(const T* from, long long from_row, T* to, int width, const int* numbers,
                                 long long count, int row) {
    SIGMA_SHARED int found[256 * 8];
    SIGMA_SHARED int counts[256];
    int* const list = found + SIGMA_GROUP * SIGMA_LANES * 8;
    int* const counted = counts + SIGMA_GROUP * SIGMA_LANES;
    for (int column = SIGMA_LANE; column - SIGMA_LANE < width; column += SIGMA_LANES * sigma_columns_each) {
        T sum[sigma_columns_each];
        SIGMA_UNROLL
        for (int c = 0; c < sigma_columns_each; ++c) sum[c] = 0;
        for (long long at = 0; at < count; at += SIGMA_LANES * 8) {
            const long long own = at + SIGMA_LANE * 8;
            int hits = 0, bits = 0;
            SIGMA_UNROLL
            for (int e = 0; e < 8; ++e)
                if (own + e < count && numbers[own + e] == row) {
                    bits |= 1 << e;
                    ++hits;
                }
            if (sigma_group_reduce<sigma_max>(hits) == 0) continue;
            counted[SIGMA_LANE] = hits;
            SIGMA_GROUP_SYNC();
            int before = 0, all = 0;
            for (int lane = 0; lane < SIGMA_LANES; ++lane) {
                if (lane == SIGMA_LANE) before = all;
                all += counted[lane];
            }
            for (int e = 0; e < 8; ++e)
                if (bits >> e & 1) list[before++] = SIGMA_LANE * 8 + e;
            SIGMA_GROUP_SYNC();
            const T* const here = from + at * from_row;
            int n = 0;
            for (; n + 8 <= all; n += 8) {  // eight loads at once, added in order
                SIGMA_UNROLL
                for (int c = 0; c < sigma_columns_each; ++c) {
                    const int j = column + c * SIGMA_LANES;
                    if (j >= width) break;
                    T x[8];
                    SIGMA_UNROLL
                    for (int e = 0; e < 8; ++e) x[e] = here[list[n + e] * from_row + j];
                    SIGMA_UNROLL
                    for (int e = 0; e < 8; ++e) sum[c] += x[e];
                }
            }
            for (; n < all; ++n)
                SIGMA_UNROLL
                for (int c = 0; c < sigma_columns_each; ++c) {
                    const int j = column + c * SIGMA_LANES;
                    if (j < width) sum[c] += here[list[n] * from_row + j];
                }
            SIGMA_GROUP_SYNC();  // before the list is overwritten
        }
        SIGMA_UNROLL
        for (int c = 0; c < sigma_columns_each; ++c)
            if (column + c * SIGMA_LANES < width) to[column + c * SIGMA_LANES] = sum[c];
    }
}
#endif
)cuda";

/// The text of kernels before and after a sort of pairs (see Sorting in generated.hpp), for all threads of the grid. It
/// follows `lookup_text`.
inline constexpr const char* sorted_text = R"cuda(
#ifndef SIGMA_SORTED
#define SIGMA_SORTED
// Computes for each id its row, or `rows` if it is invalid, and the number of the id.
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

// Sums segments of equal keys, each column of a segment by one thread, in order, except for the key `none`. It adds
// of.value(number, column) and stores the sum at of.to(key, column). Elements without a key must be 0 already.
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

// Returns a word of a number so that words, the lowest first, order as numbers: -0 equals 0, NaN is the greatest.
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
