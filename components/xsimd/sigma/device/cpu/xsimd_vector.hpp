// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/registers.hpp>

#include <cstddef>

#include <xsimd/config/xsimd_arch.hpp>

#include <type_traits>

// Overloads for the architecture in use correct differences between xsimd 8.1 and own_vector.hpp. Batches look up
// kernels at their own definition, so these are declared before. Differences: with AVX and AVX-512, x != y is false if
// one is NaN; with AVX-512, -x is 0 - x, which loses the sign of 0, and fma(x, y, z) is x * y + z; with NEON, x / y of
// floats is x times a reciprocal that is not rounded correctly.
static_assert(XSIMD_VERSION_MAJOR == 8,
              "another version of xsimd may have other errors: run the test instructions.same_bits");
#define SIGMA_BATCH(T) batch<T, A> const&
#define SIGMA_NEQ(T)   \
    template <class A> \
    inline batch_bool<T, A> neq(SIGMA_BATCH(T) x, SIGMA_BATCH(T) y, requires_arch<default_arch>) noexcept
#define SIGMA_NEG(T)   \
    template <class A> \
    inline batch<T, A> neg(SIGMA_BATCH(T) x, requires_arch<default_arch>) noexcept
#define SIGMA_FMA(T)   \
    template <class A> \
    inline batch<T, A> fma(SIGMA_BATCH(T) x, SIGMA_BATCH(T) y, SIGMA_BATCH(T) z, requires_arch<default_arch>) noexcept
#define SIGMA_DIV(T)   \
    template <class A> \
    inline batch<T, A> div(SIGMA_BATCH(T) x, SIGMA_BATCH(T) y, requires_arch<default_arch>) noexcept
namespace xsimd {
template <class T, class A>
class batch;
template <class T, class A>
class batch_bool;
namespace kernel {
#if defined(__AVX__)
SIGMA_NEQ(float);
SIGMA_NEQ(double);
#endif
#if defined(__AVX512F__)
SIGMA_NEG(float);
SIGMA_NEG(double);
SIGMA_FMA(float);
SIGMA_FMA(double);
#endif
#if defined(__aarch64__)
SIGMA_DIV(float);
#endif
}  // namespace kernel
}  // namespace xsimd
#include <xsimd/xsimd.hpp>
namespace xsimd::kernel {
#if defined(__AVX__)
SIGMA_NEQ(float) { return !(x == y); }
SIGMA_NEQ(double) { return !(x == y); }
#endif
#if defined(__AVX512F__)
SIGMA_NEG(float) { return x ^ batch<float, A>(-0.0f); }
SIGMA_NEG(double) { return x ^ batch<double, A>(-0.0); }
SIGMA_FMA(float) { return _mm512_fmadd_ps(x, y, z); }
SIGMA_FMA(double) { return _mm512_fmadd_pd(x, y, z); }
#endif
#if defined(__aarch64__)
SIGMA_DIV(float) { return vdivq_f32(x, y); }
#endif
}  // namespace xsimd::kernel
#undef SIGMA_NEQ
#undef SIGMA_NEG
#undef SIGMA_FMA
#undef SIGMA_DIV
#undef SIGMA_BATCH

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

template <class T>
using Vector = xsimd::batch<T>;
template <class T>
using Mask = xsimd::batch_bool<T>;
template <class T>
using Lanes = typename Mask<T>::register_type;
#if defined(__AVX512F__)
template <class T>
inline constexpr Lanes<T> every = static_cast<Lanes<T>>(-1);
#endif

template <class T>
inline constexpr int lanes = static_cast<int>(Vector<T>::size);
template <class T>
using Bits = Vector<Word<T>>;

template <class To, class T>
SIGMA_INLINE To bitwise_cast(Vector<T> x) {
    return xsimd::bitwise_cast<To>(x);
}
template <class T>
SIGMA_INLINE Vector<T> select(Mask<T> m, Vector<T> yes, Vector<T> no) {
    return xsimd::select(m, yes, no);
}
template <class T>
SIGMA_INLINE bool any(Mask<T> m) {
    return xsimd::any(m);
}
template <class T>
SIGMA_INLINE bool all(Mask<T> m) {
    return xsimd::all(m);
}
/// Returns the greater of each two lanes; the second if one is NaN, unlike NEON's instruction.
template <class T>
SIGMA_INLINE Vector<T> max(Vector<T> x, Vector<T> y) {
#if defined(__aarch64__)
    return select(x > y, x, y);
#else
    return xsimd::max(x, y);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> min(Vector<T> x, Vector<T> y) {
#if defined(__aarch64__)
    return select(x < y, x, y);
#else
    return xsimd::min(x, y);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> sqrt(Vector<T> x) {
#if defined(__aarch64__)  // where xsimd multiplies by an approximation
    if constexpr (sizeof(T) == 4) return vsqrtq_f32(x);
    else return vsqrtq_f64(x);
#else
    return xsimd::sqrt(x);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> abs(Vector<T> x) {
    return xsimd::abs(x);
}
template <class T>
SIGMA_INLINE Mask<T> isnan(Vector<T> x) {
    return x != x;
}
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_add(Vector<T> x, Vector<T> y, Vector<T> z) {
    return xsimd::fma(x, y, z);
}
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_subtract(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return _mm512_fmsub_ps(x, y, z);
    else return _mm512_fmsub_pd(x, y, z);
#else
    return xsimd::fms(x, y, z);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> fused_subtract_product(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return _mm512_fnmadd_ps(x, y, z);
    else return _mm512_fnmadd_pd(x, y, z);
#else
    return xsimd::fnma(x, y, z);
#endif
}
#if defined(__AVX512F__)
template <class T>
SIGMA_INLINE Vector<T> scale_by_power(Vector<T> x, Vector<T> n) {
    if constexpr (sizeof(T) == 4) return _mm512_scalef_ps(x, n);
    else return _mm512_scalef_pd(x, n);
}
#endif

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
