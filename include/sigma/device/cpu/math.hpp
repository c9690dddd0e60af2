// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/exponential.hpp>
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/trigonometric.hpp>
#include <sigma/tape/operation.hpp>

#include <cmath>
#include <limits>

namespace sigma::simd {

template <class T>
using Mask = xsimd::batch_bool<T>;

constexpr bool is_comparison(Operation o) { return o >= Operation::less && o <= Operation::equal; }

template <Operation o, class T>
SIGMA_INLINE Mask<T> compare(Vector<T> a, Vector<T> b) {
    if constexpr (o == Operation::less) return a < b;
    else if constexpr (o == Operation::less_equal) return a <= b;
    else return a == b;
}

/// Subnormal numbers are brought into the range of the library's logarithm first.
template <class T>
SIGMA_INLINE Vector<T> log(Vector<T> x) {
    using V = Vector<T>;
    if constexpr (sizeof(T) == 4) {
        return xsimd::log(x);
    } else {
        const auto tiny = x < V(std::numeric_limits<T>::min());
        const V y = xsimd::log(xsimd::select(tiny, x * V(T(0x1p54)), x));
        return xsimd::select(tiny, y - V(T(54 * 0.69314718055994530942)), y);
    }
}

/// Lane by lane: the vector libraries' pow loses up to 8 bits and has wrong limits. Frequent constant exponents never
/// get here, because the tape knows them.
template <class T>
SIGMA_INLINE Vector<T> pow(Vector<T> x, Vector<T> y) {
    T base[lanes<T>], exponent[lanes<T>];
    x.store_unaligned(base);
    y.store_unaligned(exponent);
    for (int i = 0; i < lanes<T>; ++i) base[i] = std::pow(base[i], exponent[i]);
    return Vector<T>::load_unaligned(base);
}

/// The value of an elementwise operation on vectors. What the field's conventions leave open: max and min give NaN if
/// either operand is NaN; sign(0) = 0.
template <Operation o, class T>
SIGMA_INLINE Vector<T> evaluate(Vector<T> a, Vector<T> b, Vector<T> c) {
    using V = Vector<T>;
    if constexpr (o == Operation::copy || o == Operation::expand || o == Operation::stop_gradient) return a;
    else if constexpr (o == Operation::negate) return -a;
    else if constexpr (o == Operation::absolute) return xsimd::abs(a);
    else if constexpr (o == Operation::sign)
        return xsimd::select(a > V(T(0)), V(T(1)), xsimd::select(a < V(T(0)), V(T(-1)), a));
    else if constexpr (o == Operation::exp) return simd::exp<T>(a);
    else if constexpr (o == Operation::log) return simd::log<T>(a);
    else if constexpr (o == Operation::log1p) return xsimd::log1p(a);
    else if constexpr (o == Operation::expm1) return simd::expm1<T>(a);
    else if constexpr (o == Operation::sqrt) return xsimd::sqrt(a);
    else if constexpr (o == Operation::rsqrt) return V(T(1)) / xsimd::sqrt(a);
    else if constexpr (o == Operation::tanh) return simd::tanh<T>(a);
    else if constexpr (o == Operation::sigmoid) return simd::sigmoid<T>(a);
    else if constexpr (o == Operation::sin) return simd::sin<T>(a);
    else if constexpr (o == Operation::cos) return simd::cos<T>(a);
    else if constexpr (o == Operation::add) return a + b;
    else if constexpr (o == Operation::subtract) return a - b;
    else if constexpr (o == Operation::multiply) return a * b;
    else if constexpr (o == Operation::divide) return a / b;
    else if constexpr (o == Operation::power) return simd::pow<T>(a, b);
    else if constexpr (o == Operation::maximum) return xsimd::select(a == a, xsimd::max(a, b), a);
    else if constexpr (o == Operation::minimum) return xsimd::select(a == a, xsimd::min(a, b), a);
    else if constexpr (is_comparison(o)) return xsimd::select(compare<o, T>(a, b), V(T(1)), V(T(0)));
    else return xsimd::select(a != V(T(0)), b, c);
}

/// Neutral element and combination of a reduction; NaN passes through maximum and minimum.
template <Operation o, class T>
SIGMA_INLINE constexpr T neutral() {
    if constexpr (o == Operation::sum) return T(0);
    else if constexpr (o == Operation::reduce_maximum) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::infinity();
}
template <Operation o, class T>
SIGMA_INLINE Vector<T> combine(Vector<T> total, Vector<T> v) {
    if constexpr (o == Operation::sum) return total + v;
    else if constexpr (o == Operation::reduce_maximum) return evaluate<Operation::maximum, T>(total, v, v);
    else return evaluate<Operation::minimum, T>(total, v, v);
}
template <Operation o, class T>
SIGMA_INLINE T across(Vector<T> v) {
    if constexpr (o == Operation::sum) return simd::sum<T>(v);
    else if constexpr (o == Operation::reduce_maximum) return simd::maximum<T>(v);
    else return simd::minimum<T>(v);
}

}  // namespace sigma::simd
