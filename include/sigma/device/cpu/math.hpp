// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/contraction.hpp>
#include <sigma/device/cpu/exponential.hpp>
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/logarithm.hpp>
#include <sigma/device/cpu/trigonometric.hpp>
#include <sigma/tape/operation.hpp>

#include <limits>

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

constexpr bool is_comparison(Operation o) { return o >= Operation::less && o <= Operation::equal; }

template <Operation o, class T>
SIGMA_INLINE Mask<T> compare(Vector<T> a, Vector<T> b) {
    if constexpr (o == Operation::less) return a < b;
    else if constexpr (o == Operation::less_equal) return a <= b;
    else return a == b;
}

namespace detail {

/// One half of a vector of floats as doubles, and back. g++ would convert to and from 512 bits in two parts.
template <bool upper>
SIGMA_INLINE Vector<double> widened(Vector<float> x) {
    const auto half = [&] {
        if constexpr (upper) return upper_half<float, register_bytes>(x.data);
        else return lower_half<float, register_bytes>(x.data);
    };
#if defined(__AVX512F__) && !defined(__clang__)
    return __builtin_ia32_cvtps2pd512_mask(half(), Register<double>{}, every<double>, 4);
#else
    return __builtin_convertvector(half(), Register<double>);
#endif
}
SIGMA_INLINE Vector<float> narrowed(Vector<double> lower, Vector<double> upper) {
    const auto half = [](Vector<double> x) {
        using Half = Register<float, register_bytes / 2>;
#if defined(__AVX512F__) && !defined(__clang__)
        return Half(__builtin_ia32_cvtpd2ps512_mask(x.data, Half{}, every<double>, 4));
#else
        return __builtin_convertvector(x.data, Half);
#endif
    };
    return both_halves<float>(half(lower), half(upper));
}

}  // namespace detail

/// exp(y·log x) in double for positive floats, where its error vanishes in the rounding; everything else lane by lane
/// by the C library. (The vector library's pow loses up to 8 bits and has wrong limits.)
template <class T>
SIGMA_INLINE Vector<T> pow(Vector<T> x, Vector<T> y) {
    using V = Vector<T>;
    constexpr bool single = sizeof(T) == 4;
    const V greatest(std::numeric_limits<T>::max());
    V power(T(0));
    if constexpr (single) {
        const auto half = [](Vector<double> a, Vector<double> b) { return simd::exp<double>(b * simd::log<double>(a)); };
        power = detail::narrowed(half(detail::widened<false>(x), detail::widened<false>(y)),
                                 half(detail::widened<true>(x), detail::widened<true>(y)));
        if (simd::all((x > V(T(0))) & (x <= greatest) & (simd::abs(y) <= greatest))) return power;
    }
    T base[lanes<T>], exponent[lanes<T>], result[lanes<T>];
    x.store_unaligned(base);
    y.store_unaligned(exponent);
    power.store_unaligned(result);
    for (int i = 0; i < lanes<T>; ++i) {
        const bool positive = base[i] > 0 && base[i] <= greatest.get(0);
        if (single && positive && exponent[i] >= -greatest.get(0) && exponent[i] <= greatest.get(0)) continue;
        if constexpr (single) result[i] = __builtin_powf(base[i], exponent[i]);
        else result[i] = __builtin_pow(base[i], exponent[i]);
    }
    return V::load_unaligned(result);
}

/// The value of an elementwise operation on vectors. What the field's conventions leave open: max and min give NaN if
/// either operand is NaN; sign(0) = 0.
template <Operation o, class T>
SIGMA_INLINE Vector<T> evaluate(Vector<T> a, Vector<T> b, Vector<T> c) {
    using V = Vector<T>;
    if constexpr (o == Operation::copy || o == Operation::expand || o == Operation::stop_gradient) return a;
    else if constexpr (o == Operation::negate) return -a;
    else if constexpr (o == Operation::absolute) return simd::abs(a);
    else if constexpr (o == Operation::sign)
        return simd::select(a > V(T(0)), V(T(1)), simd::select(a < V(T(0)), V(T(-1)), a));
    else if constexpr (o == Operation::exp) return simd::exp<T>(a);
    else if constexpr (o == Operation::log) return simd::log<T>(a);
    else if constexpr (o == Operation::log1p) return simd::log1p<T>(a);
    else if constexpr (o == Operation::expm1) return simd::expm1<T>(a);
    else if constexpr (o == Operation::sqrt) return simd::sqrt(a);
    else if constexpr (o == Operation::rsqrt) return V(T(1)) / simd::sqrt(a);
    else if constexpr (o == Operation::tanh) return simd::tanh<T>(a);
    else if constexpr (o == Operation::sigmoid) return simd::sigmoid<T>(a);
    else if constexpr (o == Operation::sin) return simd::sin<T>(a);
    else if constexpr (o == Operation::cos) return simd::cos<T>(a);
    else if constexpr (o == Operation::add) return a + b;
    else if constexpr (o == Operation::subtract) return a - b;
    else if constexpr (o == Operation::multiply) return a * b;
    else if constexpr (o == Operation::divide) return a / b;
    else if constexpr (o == Operation::power) return simd::pow<T>(a, b);
    else if constexpr (o == Operation::maximum) return simd::select(a == a, simd::max(a, b), a);
    else if constexpr (o == Operation::minimum) return simd::select(a == a, simd::min(a, b), a);
    else if constexpr (o == Operation::multiply_add) return fused_multiply_add<T>(a, b, c);
    else if constexpr (o == Operation::multiply_subtract) return fused_multiply_subtract<T>(a, b, c);
    else if constexpr (o == Operation::subtract_product) return fused_subtract_product<T>(a, b, c);
    else if constexpr (is_comparison(o)) return simd::select(compare<o, T>(a, b), V(T(1)), V(T(0)));
    else return simd::select(a != V(T(0)), b, c);
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

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
