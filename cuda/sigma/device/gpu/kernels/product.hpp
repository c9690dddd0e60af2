// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of products that the library does not compute. The order of sums is that of device/cpu/product.hpp: k is
/// divided into the fewest blocks of at most 384 terms, of equal size except the last; each block is one chain sum =
/// fma(a, b, sum) from zero, then c = alpha · sum, or fma(alpha, sum, c), block by block. So an element depends only on
/// its row of A, its column of B, k, alpha and its previous value. On a host without fma, a product and a sum replace
/// it.
///
/// sigma_split_tile sums in another order, for results so small that whole tiles would leave most of the device idle: a
/// block computes 8 × 4 elements, its threads share k, and each thread has all 32 sums.
inline constexpr const char* product_text = R"cuda(
#ifndef SIGMA_PRODUCT
#define SIGMA_PRODUCT
#ifndef SIGMA_HOST
template <class T> SIGMA_DEVICE T sigma_chain(T a, T b, T sum) { return fma(a, b, sum); }
#elif defined(__FMA__)
SIGMA_DEVICE float sigma_chain(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
SIGMA_DEVICE double sigma_chain(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
#else
template <class T> SIGMA_DEVICE T sigma_chain(T a, T b, T sum) { return a * b + sum; }
#endif

template <class T>
struct sigma_factors {
    long long m, n, k;
    const T* a;
    long long a_row;  // transposed: stride from k to k
    const T* b;
    long long b_row;
    T* c;
    long long c_row;
    T alpha;
};

// Computes one tile of C, 256 parts of side × side elements. A thread has one part in registers. A block with fewer
// threads than parts processes the tile several times; on the host once, with all parts in memory of the block.
template <class T, int side, bool transposed, bool accumulate>
SIGMA_DEVICE void sigma_product_tile(const sigma_factors<T>& p, long long top, long long left) {
    enum { tile = 16 * side, deep = 16, parts = 256 };
    alignas(16) SIGMA_SHARED T a[deep][tile + 4];
    alignas(16) SIGMA_SHARED T b[deep][tile + 4];
#ifdef SIGMA_HOST
    enum { held = parts };
    SIGMA_SHARED T sums[parts][side][side];
#else
    enum { held = 1 };
    T sums[1][side][side];
#endif
    const long long blocks = p.k > 384 ? (p.k + 383) / 384 : 1, depth = p.k > 0 ? (p.k + blocks - 1) / blocks : 1;
    for (int base = 0; base < parts; base += SIGMA_THREADS * held)
        for (long long from = 0; from == 0 || from < p.k; from += depth) {
            const long long end = from + depth < p.k ? from + depth : p.k;
            SIGMA_UNROLL
            for (int h = 0; h < held; ++h) {
                const int part = base + h * SIGMA_THREADS + SIGMA_THREAD;
                if (part >= parts) break;
                SIGMA_UNROLL
                for (int e = 0; e < side * side; ++e) sums[held > 1 ? part : 0][e / side][e % side] = 0;
            }
            for (long long at = from; at < end; at += deep) {
                for (int e = SIGMA_THREAD; e < deep * tile; e += SIGMA_THREADS) {
                    const int i = transposed ? e % tile : e / deep, x = transposed ? e / tile : e % deep;
                    const bool inside = top + i < p.m && at + x < end;
                    const long long row = transposed ? at + x : top + i, column = transposed ? top + i : at + x;
                    a[x][i] = inside ? p.a[row * p.a_row + column] : (T)0;
                    const int j = e % tile, y = e / tile;
                    b[y][j] = left + j < p.n && at + y < end ? p.b[(at + y) * p.b_row + left + j] : (T)0;
                }
                SIGMA_SYNC();
                SIGMA_UNROLL
                for (int h = 0; h < held; ++h) {
                    const int part = base + h * SIGMA_THREADS + SIGMA_THREAD;
                    if (part >= parts) break;
                    T(&sum)[side][side] = sums[held > 1 ? part : 0];
                    const int i = part / 16 * side, j = part % 16 * side;
                    SIGMA_UNROLL
                    for (int x = 0; x < deep; ++x) {
                        T down[side], across[side];
                        SIGMA_UNROLL
                        for (int e = 0; e < side; ++e) {
                            down[e] = a[x][i + e];
                            across[e] = b[x][j + e];
                        }
                        SIGMA_UNROLL
                        for (int e = 0; e < side * side; ++e) {
                            T& to = sum[e / side][e % side];
                            to = sigma_chain(down[e / side], across[e % side], to);
                        }
                    }
                }
                SIGMA_SYNC();
            }
            SIGMA_UNROLL
            for (int h = 0; h < held; ++h) {
                const int part = base + h * SIGMA_THREADS + SIGMA_THREAD;
                if (part >= parts) break;
                const long long i = top + part / 16 * side, j = left + part % 16 * side;
                SIGMA_UNROLL
                for (int e = 0; e < side * side; ++e) {
                    if (i + e / side >= p.m || j + e % side >= p.n) continue;
                    T& c = p.c[(i + e / side) * p.c_row + j + e % side];
                    const T sum = sums[held > 1 ? part : 0][e / side][e % side];
                    c = accumulate || from > 0 ? sigma_chain(p.alpha, sum, c) : p.alpha * sum;
                }
            }
        }
}

// Loads `count` adjacent elements, of which only `there` exist.
template <int count, class T>
SIGMA_DEVICE void sigma_load_some(const T* from, long long there, T (&x)[count]) {
    enum { pack = 16 / sizeof(T) };
    if (there >= count && (sigma_u64)from % 16 == 0) {
        SIGMA_UNROLL
        for (int i = 0; i < count; i += pack) {
            const sigma_pack<T> some = sigma_load(from + i);
            SIGMA_UNROLL
            for (int j = 0; j < pack; ++j) x[i + j] = some.v[j];
        }
    } else {
        SIGMA_UNROLL
        for (int i = 0; i < count; ++i) x[i] = i < there ? from[i] : (T)0;
    }
}

template <class T, bool transposed, bool accumulate>
SIGMA_DEVICE void sigma_split_tile(const sigma_factors<T>& p, long long top, long long left) {
    T sums[32];
    SIGMA_UNROLL
    for (int e = 0; e < 32; ++e) sums[e] = 0;
#ifdef SIGMA_HOST
    const int threads = SIGMA_THREADS;
#else
    enum { threads = 128 };  // the launched number: with a known k all loads are issued at once
#pragma unroll 4
#endif
    for (int k = SIGMA_THREAD; k < p.k; k += threads) {
        T a[8], b[4];
        sigma_load_some(p.b + k * p.b_row + left, p.n - left, b);
        if (transposed) sigma_load_some(p.a + k * p.a_row + top, p.m - top, a);
        SIGMA_UNROLL
        for (int i = 0; !transposed && i < 8; ++i) a[i] = top + i < p.m ? p.a[(top + i) * p.a_row + k] : (T)0;
        SIGMA_UNROLL
        for (int e = 0; e < 32; ++e) sums[e] = sigma_chain(a[e / 4], b[e % 4], sums[e]);
    }
    sigma_block_sums(sums, [&](int e, T sum) {
        if (top + e / 4 >= p.m || left + e % 4 >= p.n) return;
        T& c = p.c[(top + e / 4) * p.c_row + left + e % 4];
        c = accumulate ? sigma_chain(p.alpha, sum, c) : p.alpha * sum;
    });
}

// Computes outer times inner products, tile by tile. Steps are strides from product to product of A, B and C. side 0:
// split.
template <class T, int side, bool transposed, bool accumulate>
SIGMA_DEVICE void sigma_products(sigma_factors<T> p, long long outer, long long inner, const long long (&outer_step)[3],
                                 const long long (&inner_step)[3]) {
    enum { rows = side > 0 ? 16 * side : 8, columns = side > 0 ? 16 * side : 4 };
    const long long across = (p.n + columns - 1) / columns, each = (p.m + rows - 1) / rows * across;
    for (long long at = SIGMA_BLOCK; at < each * outer * inner; at += SIGMA_BLOCKS) {
        const long long number = outer * inner > 1 ? sigma_quotient(at, each) : 0, rest = at - number * each;
        const long long x = inner > 1 ? sigma_quotient(number, inner) : number, y = number - x * inner;
        sigma_factors<T> q = p;
        q.a += x * outer_step[0] + y * inner_step[0];
        q.b += x * outer_step[1] + y * inner_step[1];
        q.c += x * outer_step[2] + y * inner_step[2];
        const long long down = sigma_quotient(rest, across), top = down * rows, left = (rest - down * across) * columns;
        if constexpr (side > 0) sigma_product_tile<T, side, transposed, accumulate>(q, top, left);
        else sigma_split_tile<T, transposed, accumulate>(q, top, left);
    }
}
#endif
)cuda";

}  // namespace sigma::on_gpu
