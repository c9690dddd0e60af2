// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/transcendental.hpp>
#include <sigma/device/cpu/vector.hpp>
#include <sigma/tape/formulas.hpp>
#include <sigma/tape/operation.hpp>

#include <limits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// Returns the vector and hides its origin from the compiler, so that a product is not fused with an addition that
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

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

template <sigma::detail::Operation o, class T>
SIGMA_INLINE Mask<T> compare(Vector<T> a, Vector<T> b) {
    if constexpr (o == sigma::detail::Operation::less) return a < b;
    else if constexpr (o == sigma::detail::Operation::less_equal) return a <= b;
    else return a == b;
}

namespace detail {

/// Converts one half of a vector of floats to doubles, and back. g++ would convert to and from 512 bits in two parts.
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

/// Computes x^y: for positive floats as exp(y·log x) in double, so that the error vanishes in the rounding, otherwise
/// lane by lane with the C library. (The vector library's pow loses up to 8 bits and has wrong limits.)
template <class T>
SIGMA_INLINE Vector<T> pow(Vector<T> x, Vector<T> y) {
    using V = Vector<T>;
    constexpr bool single = sizeof(T) == 4;
    const V greatest(std::numeric_limits<T>::max());
    V power(T(0));
    if constexpr (single) {
        const auto half = [](Vector<double> a, Vector<double> b) {
            return on_cpu::exp<double>(b * on_cpu::log<double>(a));
        };
        power = detail::narrowed(half(detail::widened<false>(x), detail::widened<false>(y)),
                                 half(detail::widened<true>(x), detail::widened<true>(y)));
        if (on_cpu::all((x > V(T(0))) & (x <= greatest) & (on_cpu::abs(y) <= greatest))) return power;
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

/// Computes the exact remainder of a / b, with the sign of a. If the quotient is small, one rounding removes all of it
/// except one divisor. Otherwise, and without such an instruction, the C library computes it lane by lane.
template <class T>
SIGMA_INLINE Vector<T> fmod(Vector<T> a, Vector<T> b) {
    using V = Vector<T>;
#if defined(__FMA__) || defined(__AVX512F__)
    const V zero(T(0)), quotient = a / b, size = on_cpu::abs(quotient);
    if (on_cpu::all((size < V(static_cast<T>(0x1p21))) &
                    (on_cpu::abs(b) >= V(std::numeric_limits<T>::min() * T(0x1p30))) &
                    (on_cpu::abs(b) <= V(std::numeric_limits<T>::max())))) {
        const V whole(static_cast<T>(sizeof(T) == 4 ? 0x1p23 : 0x1p52));
        const V nearest = (size + whole) - whole, n = nearest - on_cpu::select(nearest > size, V(T(1)), zero);
        const V x = on_cpu::abs(a), y = on_cpu::abs(b), r = fused_multiply_add<T>(-n, y, x);
        const V rest = on_cpu::select(r < zero, r + y, r);
        return on_cpu::select(a == zero, a, on_cpu::select(a < zero, -rest, rest));
    }
#endif
    T x[lanes<T>], y[lanes<T>];
    a.store_unaligned(x);
    b.store_unaligned(y);
    for (int i = 0; i < lanes<T>; ++i) {
        if constexpr (sizeof(T) == 4) x[i] = __builtin_fmodf(x[i], y[i]);
        else x[i] = __builtin_fmod(x[i], y[i]);
    }
    return V::load_unaligned(x);
}

// Further elements of the values of operations.
template <class T>
SIGMA_INLINE Vector<T> fma(Vector<T> a, Vector<T> b, Vector<T> c) {
    return fused_multiply_add<T>(a, b, c);
}
template <class T>
SIGMA_INLINE Vector<T> maximum(Vector<T> a, Vector<T> b) {
    return on_cpu::select(a == a, on_cpu::max(a, b), a);
}
template <class T>
SIGMA_INLINE Vector<T> minimum(Vector<T> a, Vector<T> b) {
    return on_cpu::select(a == a, on_cpu::min(a, b), a);
}
template <class V>
inline constexpr bool is_single = sizeof(typename V::value_type) == 4;
template <class V>
SIGMA_INLINE V real(double x) {
    return V(static_cast<typename V::value_type>(x));
}
#define SIGMA_DEVICE SIGMA_INLINE
SIGMA_FORMULAS
#undef SIGMA_DEVICE

/// The value of an elementwise operation on vectors.
template <sigma::detail::Operation o, class T>
SIGMA_INLINE Vector<T> evaluate([[maybe_unused]] Vector<T> a, [[maybe_unused]] Vector<T> b,
                                [[maybe_unused]] Vector<T> c) {
    using V = Vector<T>;
#define SIGMA_VALUE(name, kind, cost, value, ...) \
    if constexpr (o == sigma::detail::Operation::name) return value;
    SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_VALUE, SIGMA_VALUE)
#undef SIGMA_VALUE
}

/// Neutral element and combination of a reduction; NaN passes through maximum and minimum.
template <sigma::detail::Operation o, class T>
SIGMA_INLINE constexpr T neutral() {
    if constexpr (o == sigma::detail::Operation::sum) return T(0);
    else if constexpr (o == sigma::detail::Operation::reduce_maximum) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::infinity();
}
template <sigma::detail::Operation o, class T>
SIGMA_INLINE Vector<T> combine(Vector<T> total, Vector<T> v) {
    if constexpr (o == sigma::detail::Operation::sum) return total + v;
    else if constexpr (o == sigma::detail::Operation::reduce_maximum)
        return evaluate<sigma::detail::Operation::maximum, T>(total, v, v);
    else return evaluate<sigma::detail::Operation::minimum, T>(total, v, v);
}

// Long rows are reduced in groups of four vectors, each with its own total, so that no addition waits for the previous
// one.
inline constexpr int row_totals = 4;
/// Returns the greater or smaller of each two lanes; the total if `v` is NaN.
template <sigma::detail::Operation o, class T>
SIGMA_INLINE Vector<T> extreme(Vector<T> total, Vector<T> v) {
    if constexpr (o == sigma::detail::Operation::reduce_maximum) return on_cpu::max(v, total);
    else return on_cpu::min(v, total);
}
/// Combines the totals of groups to one; NaN in the lanes of `lost`.
template <sigma::detail::Operation o, class T>
SIGMA_INLINE Vector<T> together(Vector<T> t0, Vector<T> t1, Vector<T> t2, Vector<T> t3, Mask<T> lost) {
    const Vector<T> all = combine<o, T>(combine<o, T>(t0, t1), combine<o, T>(t2, t3));
    if constexpr (o == sigma::detail::Operation::sum) return all;
    else return on_cpu::select(lost, Vector<T>(std::numeric_limits<T>::quiet_NaN()), all);
}

template <sigma::detail::Operation o, class T>
SIGMA_INLINE T across(Vector<T> v) {
    if constexpr (o == sigma::detail::Operation::sum) return on_cpu::sum<T>(v);
    else if constexpr (o == sigma::detail::Operation::reduce_maximum) return on_cpu::maximum<T>(v);
    else return on_cpu::minimum<T>(v);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
