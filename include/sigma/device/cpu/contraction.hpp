// SPDX-License-Identifier: BSL-1.0
// Products and sums as plan/contract.hpp has put them together: one operation where it says so, two everywhere else.
#pragma once
#include <sigma/device/cpu/lanes.hpp>

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

/// x·y - z, rounded once where fused_multiply_add is.
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_subtract(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>)
        return _mm512_fmsub_ps(x, y, z);
    else
        return _mm512_fmsub_pd(x, y, z);
#elif defined(__FMA__)
    if constexpr (std::is_same_v<T, float>)
        return _mm256_fmsub_ps(x, y, z);
    else
        return _mm256_fmsub_pd(x, y, z);
#else
    return fused_multiply_add<T>(x, y, z ^ Vector<T>(T(-0.0)));
#endif
}

/// z - x·y, rounded once where fused_multiply_add is.
template <class T>
SIGMA_INLINE Vector<T> fused_subtract_product(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>)
        return _mm512_fnmadd_ps(x, y, z);
    else
        return _mm512_fnmadd_pd(x, y, z);
#elif defined(__FMA__)
    if constexpr (std::is_same_v<T, float>)
        return _mm256_fnmadd_ps(x, y, z);
    else
        return _mm256_fnmadd_pd(x, y, z);
#else
    return fused_multiply_add<T>(x ^ Vector<T>(T(-0.0)), y, z);
#endif
}

/// The same vector, of which the compiler does not know how it was made: it cannot fuse a product with an addition that
/// reads it. Costs nothing.
template <class T>
SIGMA_INLINE Vector<T> apart(Vector<T> x) {
#if defined(__AVX512F__)
    asm("" : "+v"(x.data));
#elif defined(__FMA__)
    asm("" : "+x"(x.data));
#elif defined(__aarch64__)
    asm("" : "+w"(x.data));
#endif  // without such instructions nothing is fused
    return x;
}

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
