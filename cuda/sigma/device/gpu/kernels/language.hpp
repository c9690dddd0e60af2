// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The language of kernels: CUDA C++ as NVRTC compiles it, which is also valid C++ of the host. This text precedes
/// every text that a device compiles. SIGMA_HOST is defined for the host's compiler.
///
/// A kernel is `SIGMA_KERNEL(name, threads, Words) { … }`. Its parameter is a struct `w` of words of eight bytes.
/// `threads` is the largest number of threads of a block. The kernel and the functions it calls (`SIGMA_DEVICE`
/// functions and `SIGMA_MEMBER` functions of a struct) can use:
///   SIGMA_BLOCK, SIGMA_BLOCKS        number of this block, and the number of blocks
///   SIGMA_THREAD, SIGMA_THREADS      number of this thread in the block, and the number of threads, 1 or more
///   SIGMA_SYNC()                     waits for all threads of the block
///   SIGMA_SHARED T x[n];             declares memory of the block
///   SIGMA_LANE, SIGMA_LANES          number of this thread in its group, and the size of a group: that of a warp, or 1
///   SIGMA_GROUP, SIGMA_GROUPS        number of this group in its block, and the number of groups
///   SIGMA_GROUP_SYNC()               waits for all threads of the group
///   sigma_group_reduce<Op>(x), sigma_block_reduce<Op>(x)    reduces over the threads of the group or block, in a fixed
///                                    order; all threads must call it and all get the result. Op: sigma_add, sigma_max,
///                                    sigma_min
///   sigma_block_sums(x, store)       sums each of 32 numbers over the threads of the block, and calls store(i, sum)
///                                    once for each
///   SIGMA_STEPS(units, lanes)        most units that one of the threads processes, a constant
///   sigma_pack<T>                    16 bytes of elements that are loaded and stored at once
inline constexpr const char* language = R"cuda(
typedef unsigned int sigma_u32;
typedef unsigned long long sigma_u64;
struct sigma_counters { sigma_u64 seed, step, first, record; };

#ifdef SIGMA_HOST
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#define SIGMA_DEVICE static inline
#define SIGMA_MEMBER
struct sigma_context {
    long long block, blocks;
    int thread, threads, lanes;
    void (*meet)(const sigma_context*, int whole_block);
};
static thread_local const sigma_context* sigma_now;
static inline void sigma_meet(int whole_block) {
    const sigma_context* const me = sigma_now;
    if (me->threads > 1) me->meet(me, whole_block);
    sigma_now = me;
}
#define SIGMA_KERNEL(name, most, Words)                                   \
    static void name##_body(const Words& w);                              \
    extern "C" void name(const void* words, const sigma_context* context) { \
        sigma_now = context;                                              \
        Words w;                                                          \
        std::memcpy(&w, words, sizeof w);                                 \
        name##_body(w);                                                   \
    }                                                                     \
    static void name##_body(const Words& w)
#define SIGMA_BLOCK (sigma_now->block)
#define SIGMA_BLOCKS (sigma_now->blocks)
#define SIGMA_THREAD (sigma_now->thread)
#define SIGMA_THREADS (sigma_now->threads)
#define SIGMA_LANES (sigma_now->lanes)
#define SIGMA_SYNC() sigma_meet(1)
#define SIGMA_GROUP_SYNC() sigma_meet(0)
#define SIGMA_SHARED static thread_local
#define SIGMA_UNROLL
#define SIGMA_STEPS(units, lanes) (int)(units)
#else
#define SIGMA_DEVICE static __device__ __forceinline__
#define SIGMA_MEMBER __device__ __forceinline__
#define SIGMA_KERNEL(name, most, Words) extern "C" __global__ void __launch_bounds__(most) name(const Words w)
#define SIGMA_BLOCK ((long long)blockIdx.x)
#define SIGMA_BLOCKS ((long long)gridDim.x)
#define SIGMA_THREAD ((int)threadIdx.x)
#define SIGMA_THREADS ((int)blockDim.x)
#define SIGMA_LANES 32
#define SIGMA_SYNC() __syncthreads()
#define SIGMA_GROUP_SYNC() __syncwarp()
#define SIGMA_SHARED __shared__
#define SIGMA_UNROLL _Pragma("unroll")
#define SIGMA_STEPS(units, lanes) (int)(((units) + (lanes) - 1) / (lanes))
#endif
#define SIGMA_LANE (SIGMA_THREAD % SIGMA_LANES)
#define SIGMA_GROUP (SIGMA_THREAD / SIGMA_LANES)
#define SIGMA_GROUPS (SIGMA_THREADS / SIGMA_LANES)

template <class T> struct alignas(16) sigma_pack { T v[16 / sizeof(T)]; };
template <class T> SIGMA_DEVICE sigma_pack<T> sigma_load(const T* from) { return *reinterpret_cast<const sigma_pack<T>*>(from); }
template <class T> SIGMA_DEVICE void sigma_store(T* to, const sigma_pack<T>& x) { *reinterpret_cast<sigma_pack<T>*>(to) = x; }

// Divides numbers that are not negative. Divisions of 64 bits are slow, so they are used only for large numbers.
template <int = 0> SIGMA_DEVICE long long sigma_quotient(long long a, long long b) {
    return ((sigma_u64)a | (sigma_u64)b) >> 32 ? a / b : (long long)((sigma_u32)a / (sigma_u32)b);
}

// Operations of reductions. NaN is passed on, as in the processor's reductions.
struct sigma_add { template <class T> SIGMA_DEVICE T of(T x, T y) { return x + y; } };
struct sigma_max { template <class T> SIGMA_DEVICE T of(T x, T y) { return x > y || x != x ? x : y; } };
struct sigma_min { template <class T> SIGMA_DEVICE T of(T x, T y) { return x < y || x != x ? x : y; } };

#ifdef SIGMA_HOST
static thread_local double sigma_exchange[1024];
template <class Op, class T> SIGMA_DEVICE T sigma_reduce_among(T x, int first, int count, int whole_block) {
    if (count == 1) return x;
    sigma_exchange[SIGMA_THREAD] = x;
    sigma_meet(whole_block);
    T all = T(sigma_exchange[first]);
    for (int i = 1; i < count; ++i) all = Op::of(all, T(sigma_exchange[first + i]));
    sigma_meet(whole_block);
    return all;
}
template <class Op, class T> SIGMA_DEVICE T sigma_group_reduce(T x) {
    return sigma_reduce_among<Op>(x, SIGMA_GROUP * SIGMA_LANES, SIGMA_LANES, 0);
}
template <class Op, class T> SIGMA_DEVICE T sigma_block_reduce(T x) { return sigma_reduce_among<Op>(x, 0, SIGMA_THREADS, 1); }
template <class T, class Store> SIGMA_DEVICE void sigma_block_sums(const T (&x)[32], const Store& store) {
    for (int i = 0; i < 32; ++i) {
        const T sum = sigma_block_reduce<sigma_add>(x[i]);
        if (SIGMA_THREAD == i % SIGMA_THREADS) store(i, sum);
    }
}
#else
template <class Op, class T> SIGMA_DEVICE T sigma_group_reduce(T x) {
    SIGMA_UNROLL
    for (int at = 16; at > 0; at /= 2) x = Op::of(x, __shfl_xor_sync(0xFFFFFFFFu, x, at));
    return x;
}
template <class Op, class T> SIGMA_DEVICE T sigma_block_reduce(T x) {  // blocks are whole warps
    __shared__ T part[32];
    x = sigma_group_reduce<Op>(x);
    if (SIGMA_LANE == 0) part[SIGMA_GROUP] = x;
    __syncthreads();
    x = part[0];
    for (int i = 1; i < SIGMA_GROUPS; ++i) x = Op::of(x, part[i]);
    __syncthreads();
    return x;
}
template <int half, class T> SIGMA_DEVICE void sigma_fold(T (&x)[32]) {  // lanes with this bit continue with the upper half
    const bool upper = SIGMA_LANE & half;
    SIGMA_UNROLL
    for (int i = 0; i < half; ++i) {
        const T given = __shfl_xor_sync(0xFFFFFFFFu, upper ? x[i] : x[i + half], half);
        x[i] = (upper ? x[i + half] : x[i]) + given;
    }
    if constexpr (half > 1) sigma_fold<half / 2>(x);
}
template <class T, class Store> SIGMA_DEVICE void sigma_block_sums(T (&x)[32], const Store& store) {
    __shared__ T part[32][32];
    sigma_fold<16>(x);
    part[SIGMA_GROUP][SIGMA_LANE] = x[0];
    __syncthreads();
    if (SIGMA_GROUP == 0) {
        T sum = part[0][SIGMA_LANE];
        for (int i = 1; i < SIGMA_GROUPS; ++i) sum += part[i][SIGMA_LANE];
        store(SIGMA_LANE, sum);
    }
    __syncthreads();
}
#endif
)cuda";

}  // namespace sigma::on_gpu
