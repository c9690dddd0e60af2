// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/tape/operation.hpp>

namespace sigma::cpu {

template <class T>
using Mask = xsimd::batch_bool<T>;

constexpr bool is_comparison(Operation o) { return o >= Operation::less && o <= Operation::equal; }

template <Operation o, class T>
SIGMA_INLINE Mask<T> compare(Vector<T> a, Vector<T> b) {
    if constexpr (o == Operation::less) return a < b;
    else if constexpr (o == Operation::less_equal) return a <= b;
    else return a == b;
}

/// tanh by a rational approximation of degree 13 over 6 (the coefficients used by Eigen), at most 5 ulp in float; the
/// shorter 1 - 2/(exp(2x)+1) loses all relative accuracy near 0. In double the library's own.
template <class T>
SIGMA_INLINE Vector<T> tanh(Vector<T> x) {
    using V = Vector<T>;
    if constexpr (sizeof(T) == 8) {
        return xsimd::tanh(x);
    } else {
        const V limit(T(7.90531110763549805));
        const V c = xsimd::min(limit, xsimd::max(-limit, x));  // NaN in the second operand passes through both
        const V q = c * c;
        const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, q, V(static_cast<T>(k))); };
        V p(T(-2.76076847742355e-16));
        p = step(p, 2.00018790482477e-13);
        p = step(p, -8.60467152213735e-11);
        p = step(p, 5.12229709037114e-08);
        p = step(p, 1.48572235717979e-05);
        p = step(p, 6.37261928875436e-04);
        p = step(p, 4.89352455891786e-03);
        V r(T(1.19825839466702e-06));
        r = step(r, 1.18534705686654e-04);
        r = step(r, 2.26843463243900e-03);
        r = step(r, 4.89352518554385e-03);
        return xsimd::select(xsimd::abs(x) < V(T(0.0004)), x, c * p / r);
    }
}

/// exp of float by reduction to [-ln2/2, ln2/2] and a polynomial of degree 6 (Cephes), at most 2 ulp, 0 below and
/// infinity above the range.
template <class T>
SIGMA_INLINE Vector<T> exp(Vector<T> x) {
    return xsimd::exp(x);
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
    else if constexpr (o == Operation::exp) return cpu::exp<T>(a);
    else if constexpr (o == Operation::log) return xsimd::log(a);
    else if constexpr (o == Operation::log1p) return xsimd::log1p(a);
    else if constexpr (o == Operation::expm1) return xsimd::expm1(a);
    else if constexpr (o == Operation::sqrt) return xsimd::sqrt(a);
    else if constexpr (o == Operation::rsqrt) return V(T(1)) / xsimd::sqrt(a);
    else if constexpr (o == Operation::tanh) return cpu::tanh<T>(a);
    else if constexpr (o == Operation::sigmoid) return V(T(1)) / (V(T(1)) + cpu::exp<T>(-a));
    else if constexpr (o == Operation::sin) return xsimd::sin(a);
    else if constexpr (o == Operation::cos) return xsimd::cos(a);
    else if constexpr (o == Operation::add) return a + b;
    else if constexpr (o == Operation::subtract) return a - b;
    else if constexpr (o == Operation::multiply) return a * b;
    else if constexpr (o == Operation::divide) return a / b;
    else if constexpr (o == Operation::power) return xsimd::pow(a, b);
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
    if constexpr (o == Operation::sum) return cpu::sum<T>(v);
    else if constexpr (o == Operation::reduce_maximum) return cpu::maximum<T>(v);
    else return cpu::minimum<T>(v);
}

}  // namespace sigma::cpu
