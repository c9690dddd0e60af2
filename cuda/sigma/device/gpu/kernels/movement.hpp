// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of transposition through memory of the block, so that rows of both matrices are accessed in whole pieces,
/// and of the search for the greatest element.
inline constexpr const char* movement_text = R"cuda(
#ifndef SIGMA_MOVEMENT
#define SIGMA_MOVEMENT
template <class T> SIGMA_DEVICE bool sigma_aligned(const T* p) { return (reinterpret_cast<sigma_u64>(p) & 15) == 0; }

// Strides in elements from row to row, and from matrix to matrix along two loops.
struct sigma_steps { long long row, outer, inner; };

// to(j, i) = from(i, j) of outer times inner matrices.
template <class T>
SIGMA_DEVICE void sigma_transpose(const T* from, sigma_steps f, T* to, sigma_steps t, long long rows, long long columns,
                                  long long outer, long long inner) {
    SIGMA_SHARED T tile[32][33];  // 33, so that its columns are in different banks
    const long long across = (columns + 31) / 32, each = (rows + 31) / 32 * across;
    for (long long at = SIGMA_BLOCK; at < each * outer * inner; at += SIGMA_BLOCKS) {
        const long long matrix = at / each, row = at % each / across * 32, column = at % each % across * 32;
        const T* x = from + matrix / inner * f.outer + matrix % inner * f.inner;
        T* y = to + matrix / inner * t.outer + matrix % inner * t.inner;
        for (int e = SIGMA_THREAD; e < 1024; e += SIGMA_THREADS) {
            const long long i = row + e / 32, j = column + e % 32;
            if (i < rows && j < columns) tile[e / 32][e % 32] = x[i * f.row + j];
        }
        SIGMA_SYNC();
        for (int e = SIGMA_THREAD; e < 1024; e += SIGMA_THREADS) {
            const long long i = row + e % 32, j = column + e / 32;
            if (i < rows && j < columns) y[j * t.row + i] = tile[e % 32][e / 32];
        }
        SIGMA_SYNC();
    }
}

// Returns the position of the first greatest of `count` elements `step` apart to all threads of a group. NaN counts as
// greatest.
template <class T>
SIGMA_DEVICE long long sigma_argmax(const T* x, long long count, long long step) {
    long long best = SIGMA_LANE < count ? SIGMA_LANE : count - 1;  // threads without an element use the last one
    T greatest = x[best * step];
    for (long long i = best + SIGMA_LANES; i < count; i += SIGMA_LANES) {
        const T value = x[i * step];
        if (value > greatest || (value != value && greatest == greatest)) {
            best = i;
            greatest = value;
        }
    }
    const T all = sigma_group_reduce<sigma_max>(greatest);
    const bool reached = greatest == all || (greatest != greatest && all != all);
    return sigma_group_reduce<sigma_min>(reached ? best : count);
}
#endif
)cuda";

}  // namespace sigma::on_gpu
