// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>

namespace sigma::on_gpu {

/// What generated kernels call beside the language: sigma_vector, elements that lie together; quotients of indices;
/// and the elementwise functions, with the conventions of device/cpu/math.hpp: maximum and minimum are NaN where an
/// operand is, sign(0) = 0. Comes before each text that needs it, so a second one must vanish.
inline constexpr const char* math = R"cuda(
#ifndef SIGMA_MATH
#define SIGMA_MATH
template <class T, int n> struct alignas(n * sizeof(T)) sigma_vector { T v[n]; };
template <int n, class T> SIGMA_DEVICE sigma_vector<T, n> sigma_load_vector(const T* from) {
    return *reinterpret_cast<const sigma_vector<T, n>*>(from);
}
template <int n, class T> SIGMA_DEVICE void sigma_store_vector(T* to, const sigma_vector<T, n>& x) {
    *reinterpret_cast<sigma_vector<T, n>*>(to) = x;
}
template <int = 0> SIGMA_DEVICE bool sigma_packed(sigma_u64 addresses) { return addresses % 16 == 0; }
// Neither is negative. Quotients of 64 bits are slow where they are not needed.
template <int = 0> SIGMA_DEVICE long long sigma_quotient(long long a, long long b) {
    return ((sigma_u64)a | (sigma_u64)b) >> 32 ? a / b : (long long)((sigma_u32)a / (sigma_u32)b);
}

#ifdef SIGMA_HOST
template <class T> SIGMA_DEVICE T sigma_infinity() { return std::numeric_limits<T>::infinity(); }
template <class T> SIGMA_DEVICE T sigma_nan() { return std::numeric_limits<T>::quiet_NaN(); }
#else
template <class T> SIGMA_DEVICE T sigma_infinity() { return (T)__int_as_float(0x7f800000); }
template <class T> SIGMA_DEVICE T sigma_nan() { return (T)__int_as_float(0x7fc00000); }
#endif

// Templates, since what nobody calls draws no warning and costs no time then.
#define SIGMA_FUNCTION(name)                                                           \
    template <int = 0> SIGMA_DEVICE float sigma_##name(float x) { return name##f(x); } \
    template <int = 0> SIGMA_DEVICE double sigma_##name(double x) { return name(x); }
SIGMA_FUNCTION(fabs)
SIGMA_FUNCTION(exp)
SIGMA_FUNCTION(log)
SIGMA_FUNCTION(log1p)
SIGMA_FUNCTION(expm1)
SIGMA_FUNCTION(sqrt)
SIGMA_FUNCTION(tanh)
SIGMA_FUNCTION(sin)
SIGMA_FUNCTION(cos)
#undef SIGMA_FUNCTION
template <int = 0> SIGMA_DEVICE float sigma_rsqrt(float x) { return 1.0f / sqrtf(x); }
template <int = 0> SIGMA_DEVICE double sigma_rsqrt(double x) { return 1.0 / sqrt(x); }
template <int = 0> SIGMA_DEVICE float sigma_sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
template <int = 0> SIGMA_DEVICE double sigma_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
template <int = 0> SIGMA_DEVICE float sigma_fma(float x, float y, float z) { return fmaf(x, y, z); }
template <int = 0> SIGMA_DEVICE double sigma_fma(double x, double y, double z) { return fma(x, y, z); }
// powf is wrong by up to 4 units in the last place.
template <int = 0> SIGMA_DEVICE float sigma_power(float x, float y) { return (float)pow((double)x, (double)y); }
template <int = 0> SIGMA_DEVICE double sigma_power(double x, double y) { return pow(x, y); }
template <class T> SIGMA_DEVICE T sigma_sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; }
template <class T> SIGMA_DEVICE T sigma_maximum(T x, T y) { return x > y || x != x ? x : y; }
template <class T> SIGMA_DEVICE T sigma_minimum(T x, T y) { return x < y || x != x ? x : y; }
#endif
)cuda";

}  // namespace sigma::on_gpu
