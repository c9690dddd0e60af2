// SPDX-License-Identifier: BSL-1.0
// Vectors, their masked tails, and the few operations xsimd 8.1 lacks or has wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sigma/device/cpu/attributes.hpp>
#include <sigma/device/cpu/instructions.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // GCC 12 warns of _mm512_undefined_ps() in its own headers (PR 105593)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

template <class T>
using Vector = xsimd::batch<T>;

template <class T>
inline constexpr int lanes = static_cast<int>(Vector<T>::size);

// Really fused where the machine can (both roundings are one), on every compiler; otherwise x * y + z.
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_add(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>)
        return _mm512_fmadd_ps(x, y, z);
    else
        return _mm512_fmadd_pd(x, y, z);
#elif defined(__FMA__)
    if constexpr (std::is_same_v<T, float>)
        return _mm256_fmadd_ps(x, y, z);
    else
        return _mm256_fmadd_pd(x, y, z);
#else
    return xsimd::fma(x, y, z);
#endif
}

// Whole and Tail have the same members, so that a kernel is written once and instantiated for both.

template <class T>
struct Whole {  // a full vector at any address
    static constexpr int count = lanes<T>;
    SIGMA_INLINE Vector<T> load(const T* from) const { return Vector<T>::load_unaligned(from); }
    SIGMA_INLINE void store(T* to, Vector<T> v) const { v.store_unaligned(to); }
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T) const { return v; }
};

#if defined(__AVX__) && !defined(__AVX512F__)
// The mask of the first n lanes starts n words before the middle.
inline constexpr std::int32_t tail_mask_4[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
inline constexpr std::int64_t tail_mask_8[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
#endif

// The first `count` lanes (0..lanes); memory of the others is neither read nor written, they load as zero.
template <class T>
struct Tail {
    int count;

#if defined(__AVX512F__)
    using Mask = std::conditional_t<std::is_same_v<T, float>, __mmask16, __mmask8>;
    SIGMA_INLINE Mask mask() const {
        return static_cast<Mask>((1u << count) - 1u);
    }
    SIGMA_INLINE Vector<T> load(const T* from) const {
        if constexpr (std::is_same_v<T, float>)
            return _mm512_maskz_loadu_ps(mask(), from);
        else
            return _mm512_maskz_loadu_pd(mask(), from);
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        if constexpr (std::is_same_v<T, float>)
            _mm512_mask_storeu_ps(to, mask(), v);
        else
            _mm512_mask_storeu_pd(to, mask(), v);
    }
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T fill) const {
        if constexpr (std::is_same_v<T, float>)
            return _mm512_mask_mov_ps(_mm512_set1_ps(fill), mask(), v);
        else
            return _mm512_mask_mov_pd(_mm512_set1_pd(fill), mask(), v);
    }
#elif defined(__AVX__)
    SIGMA_INLINE __m256i mask() const {
        const void* from = tail_mask_4 + 8 - count;
        if constexpr (std::is_same_v<T, double>) from = tail_mask_8 + 4 - count;
        return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }
    SIGMA_INLINE Vector<T> load(const T* from) const {
        if constexpr (std::is_same_v<T, float>)
            return _mm256_maskload_ps(from, mask());
        else
            return _mm256_maskload_pd(from, mask());
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        // In pieces: a masked store costs Zen 1 to 3 some twelve cycles, and the branches always go the same way.
        if constexpr (std::is_same_v<T, float>) {
            if (count == 8) return _mm256_storeu_ps(to, v);
            __m128 rest = _mm256_castps256_ps128(v);
            if (count & 4) {
                _mm_storeu_ps(to, rest);
                rest = _mm256_extractf128_ps(v, 1);
                to += 4;
            }
            if (count & 2) {
                _mm_storel_pi(reinterpret_cast<__m64*>(to), rest);
                rest = _mm_movehl_ps(rest, rest);
                to += 2;
            }
            if (count & 1) _mm_store_ss(to, rest);
        } else {
            if (count == 4) return _mm256_storeu_pd(to, v);
            __m128d rest = _mm256_castpd256_pd128(v);
            if (count & 2) {
                _mm_storeu_pd(to, rest);
                rest = _mm256_extractf128_pd(v, 1);
                to += 2;
            }
            if (count & 1) _mm_store_sd(to, rest);
        }
    }
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T fill) const {
        const Vector<T> other(fill);
        if constexpr (std::is_same_v<T, float>)
            return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(mask()));
        else
            return _mm256_blendv_pd(other, v, _mm256_castsi256_pd(mask()));
    }
#else
    SIGMA_INLINE Vector<T> load(const T* from) const {
        alignas(64) T all[lanes<T>] = {};
        std::memcpy(all, from, bytes());
        return Vector<T>::load_aligned(all);
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        alignas(64) T all[lanes<T>];
        v.store_aligned(all);
        std::memcpy(to, all, bytes());
    }
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T fill) const {
        alignas(64) T all[lanes<T>];
        v.store_aligned(all);
        for (int i = count; i < lanes<T>; ++i) all[i] = fill;
        return Vector<T>::load_aligned(all);
    }

private:
    std::size_t bytes() const {
        return sizeof(T) * static_cast<std::size_t>(count);
    }
#endif
};

// Folds the upper half of the lanes onto the lower half until one is left: lane i meets lane i + lanes/2 first.
template <class T, class F>
SIGMA_INLINE T fold_lanes(Vector<T> v, F combine) {
    constexpr bool single = std::is_same_v<T, float>;
#if defined(__SSE2__)
    const auto within = [&](auto x) {  // one 128-bit register
        if constexpr (single) {
            x = combine(x, _mm_movehl_ps(x, x));
            return static_cast<T>(combine(_mm_cvtss_f32(x), _mm_cvtss_f32(_mm_shuffle_ps(x, x, 1))));
        } else {
            return static_cast<T>(combine(_mm_cvtsd_f64(x), _mm_cvtsd_f64(_mm_unpackhi_pd(x, x))));
        }
    };
#if defined(__AVX__)
    const auto halves = [&](auto x) {
        if constexpr (single)
            return within(combine(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)));
        else
            return within(combine(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1)));
    };
#if defined(__AVX512F__)
    if constexpr (single) {
        const __m256d upper = _mm512_extractf64x4_pd(_mm512_castps_pd(v), 1);
        return halves(combine(_mm512_castps512_ps256(v), _mm256_castpd_ps(upper)));
    } else {
        return halves(combine(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1)));
    }
#else
    return halves(v.data);
#endif
#else
    return within(v.data);
#endif
#else
    T all[lanes<T>];
    v.store_unaligned(all);
    for (int half = lanes<T> / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) all[i] = combine(all[i], all[i + half]);
    return all[0];
#endif
}

// Horizontal operations; the compilers' own vector types let one formula serve registers and scalars.
// maximum and minimum return NaN if any lane is NaN.
template <class T>
SIGMA_INLINE T sum(Vector<T> v) {
    return fold_lanes<T>(v, [](auto x, auto y) { return x + y; });
}
template <class T>
SIGMA_INLINE T maximum(Vector<T> v) {
    return fold_lanes<T>(v, [](auto x, auto y) { return ((x > y) | (x != x)) ? x : y; });
}
template <class T>
SIGMA_INLINE T minimum(Vector<T> v) {
    return fold_lanes<T>(v, [](auto x, auto y) { return ((x < y) | (x != x)) ? x : y; });
}

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
