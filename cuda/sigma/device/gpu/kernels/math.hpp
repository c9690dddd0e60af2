// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/tape/formulas.hpp>
#include <sigma/tape/operation.hpp>

#include <limits>

namespace sigma::on_gpu {

#define SIGMA_TEXT(...) #__VA_ARGS__
#define SIGMA_TEXT_OF(...) SIGMA_TEXT(__VA_ARGS__)
#define SIGMA_unary "V a"
#define SIGMA_flat SIGMA_unary
#define SIGMA_binary "V a, V b"
#define SIGMA_comparison SIGMA_binary
#define SIGMA_ternary "V a, V b, V c"
#define SIGMA_contraction SIGMA_ternary
#define SIGMA_VALUE(name, kind, cost, value, ...) \
    "template <class V> SIGMA_DEVICE V sigma_" #name "(" SIGMA_##kind ") { return " #value "; }\n"

/// The text of functions for generated kernels: sigma_vector for adjacent elements, quotients of indices, and the
/// operations of the tape, sigma_math::sigma_tanh etc. It precedes each text that needs it, so repetitions are skipped.
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

#ifdef SIGMA_HOST
template <class T> SIGMA_DEVICE T sigma_infinity() { return std::numeric_limits<T>::infinity(); }
template <class T> SIGMA_DEVICE T sigma_nan() { return std::numeric_limits<T>::quiet_NaN(); }
#else
template <class T> SIGMA_DEVICE T sigma_infinity() { return (T)__int_as_float(0x7f800000); }
template <class T> SIGMA_DEVICE T sigma_nan() { return (T)__int_as_float(0x7fc00000); }
#endif

// Templates, so that unused functions cause no warnings and cost no time.
namespace sigma_math {
#define SIGMA_FUNCTION(name, function)                                           \
    template <int = 0> SIGMA_DEVICE float name(float x) { return function##f(x); } \
    template <int = 0> SIGMA_DEVICE double name(double x) { return function(x); }
SIGMA_FUNCTION(abs, ::fabs)
SIGMA_FUNCTION(exp, ::exp)
SIGMA_FUNCTION(log, ::log)
SIGMA_FUNCTION(log1p, ::log1p)
SIGMA_FUNCTION(expm1, ::expm1)
SIGMA_FUNCTION(sqrt, ::sqrt)
SIGMA_FUNCTION(tanh, ::tanh)
SIGMA_FUNCTION(sin, ::sin)
SIGMA_FUNCTION(cos, ::cos)
#undef SIGMA_FUNCTION
template <int = 0> SIGMA_DEVICE float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
template <int = 0> SIGMA_DEVICE double fma(double x, double y, double z) { return ::fma(x, y, z); }
template <int = 0> SIGMA_DEVICE float fmod(float x, float y) { return ::fmodf(x, y); }
template <int = 0> SIGMA_DEVICE double fmod(double x, double y) { return ::fmod(x, y); }
// powf is wrong by up to 4 units in the last place.
template <int = 0> SIGMA_DEVICE float pow(float x, float y) { return (float)::pow((double)x, (double)y); }
template <int = 0> SIGMA_DEVICE double pow(double x, double y) { return ::pow(x, y); }
template <class V> constexpr bool is_single = sizeof(V) == 4;
template <class V> SIGMA_DEVICE V real(double x) { return (V)x; }
template <class V> SIGMA_DEVICE V select(bool condition, V yes, V no) { return condition ? yes : no; }
template <class V> SIGMA_DEVICE V sigmoid(V x) { return V(1) / (V(1) + exp(-x)); }
template <class V> SIGMA_DEVICE V maximum(V x, V y) { return x > y || x != x ? x : y; }
template <class V> SIGMA_DEVICE V minimum(V x, V y) { return x < y || x != x ? x : y; }
)cuda" SIGMA_TEXT_OF(SIGMA_FORMULAS) SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_VALUE, SIGMA_VALUE) R"cuda(
}
#endif
)cuda";

#undef SIGMA_VALUE
#undef SIGMA_contraction
#undef SIGMA_ternary
#undef SIGMA_comparison
#undef SIGMA_binary
#undef SIGMA_flat
#undef SIGMA_unary
#undef SIGMA_TEXT_OF
#undef SIGMA_TEXT

}  // namespace sigma::on_gpu
