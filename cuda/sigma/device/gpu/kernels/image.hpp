// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text that kernels over images share: some channels of a pixel, loaded and stored at once if memory permits it.
inline constexpr const char* image_kernels = R"cuda(
#ifndef SIGMA_IMAGE_KERNELS
#define SIGMA_IMAGE_KERNELS
// SIGMA_STEP: threads of a block, a constant if kernels get the threads they request. SIGMA_SHARES: most pieces of
// `total` that one thread processes. SIGMA_OWN declares the values that a thread keeps for each piece, at
// SIGMA_OWN_AT(piece, share): registers, or memory of the block if a thread may have all pieces and little stack.
#ifdef SIGMA_HOST
#define SIGMA_METHOD inline
#define SIGMA_UNROLL_SOME
#define SIGMA_STEP(wanted) SIGMA_THREADS
#define SIGMA_OWN SIGMA_SHARED
#define SIGMA_OWN_AT(piece, share) (piece)
#define SIGMA_SHARES(total, wanted) (total)
#else
#define SIGMA_METHOD __device__ __forceinline__
#define SIGMA_UNROLL_SOME _Pragma("unroll 4")
#define SIGMA_STEP(wanted) (wanted)
#define SIGMA_OWN
#define SIGMA_OWN_AT(piece, share) (share)
#define SIGMA_SHARES(total, wanted) (((total) + (wanted) - 1) / (wanted))
#endif
template <int total, int wanted> SIGMA_DEVICE bool sigma_is_beyond(int piece) {
#ifndef SIGMA_HOST
    if (total % wanted == 0) return false;  // so that unrolled loops have no branch
#endif
    return piece >= total;
}

template <class T, int V> struct sigma_some { T v[V]; };
template <class T> SIGMA_DEVICE bool sigma_is_aligned(const T* p) { return reinterpret_cast<sigma_u64>(p) % 16 == 0; }

// Loads the first `count` of V elements, zeros for the rest. `whole`: 16 aligned bytes may be read.
template <int V, class T> SIGMA_DEVICE sigma_some<T, V> sigma_load_some(const T* from, bool whole, int count) {
    sigma_some<T, V> x;
    if (V > 1 && whole) {
        const sigma_pack<T> all = sigma_load(from);
        SIGMA_UNROLL
        for (int i = 0; i < V; ++i) x.v[i] = all.v[i];
    } else {
        SIGMA_UNROLL
        for (int i = 0; i < V; ++i) x.v[i] = i < count ? from[i] : T(0);
    }
    return x;
}
template <int V, class T> SIGMA_DEVICE void sigma_store_some(T* to, const sigma_some<T, V>& x, bool whole, int count) {
    if (V > 1 && whole && count >= V) {
        sigma_pack<T> all;
        SIGMA_UNROLL
        for (int i = 0; i < V; ++i) all.v[i] = x.v[i];
        sigma_store(to, all);
    } else {
        SIGMA_UNROLL
        for (int i = 0; i < V; ++i)
            if (i < count) to[i] = x.v[i];
    }
}
template <class T, int V> SIGMA_DEVICE sigma_some<T, V> sigma_zeros() {
    sigma_some<T, V> x;
    SIGMA_UNROLL
    for (int i = 0; i < V; ++i) x.v[i] = T(0);
    return x;
}
#endif
)cuda";

}  // namespace sigma::on_gpu
