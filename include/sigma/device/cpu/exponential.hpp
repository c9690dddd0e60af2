// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

#include <limits>

/// exp and its relatives on vectors. Accuracy is measured in docs/accuracy.md, coefficients are minimax fits computed
/// with 60 digits.
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// x = n·ln 2 + r with |r| <= ln 2 / 2. The low bits of `bits` hold n + 2·bias, so that they need only be shifted to
/// become exponents of floating-point numbers.
template <class T>
struct Reduced {
    using V = Vector<T>;
    static constexpr bool single = sizeof(T) == 4;
    static constexpr int fraction = std::numeric_limits<T>::digits - 1;
    static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    static constexpr T round = static_cast<T>((single ? 0x1.8p23 : 0x1.8p52) + 2 * bias);  // has an ulp of 1

    V n, r;
    Bits<T> bits;

    SIGMA_INLINE explicit Reduced(V x) {
        const V t = fused_multiply_add<T>(x, V(static_cast<T>(1.4426950408889634)), V(round));
        n = t - V(round);
        // ln 2 in two parts (Cody and Waite); the product of n and the first is exact without fma too
        r = fused_multiply_add<T>(n, V(static_cast<T>(single ? -0.693359375 : -6.93145751953125e-1)), x);
        r = fused_multiply_add<T>(n, V(static_cast<T>(single ? 2.12194440054690583e-4 : -1.42860682030941723212e-6)),
                                  r);
        bits = on_cpu::bitwise_cast<Bits<T>>(t);
    }
    /// (e^r - 1 - r) / r²
    SIGMA_INLINE V second_order() const {
        const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, r, V(static_cast<T>(k))); };
        V p;
        if constexpr (single) {
            p = V(T(0.0013926213466332443));
            p = step(p, 0.0083632029715758549);
            p = step(p, 0.041666554437685939);
            p = step(p, 0.16666576845993976);
        } else {
            p = V(T(2.5100424157005066788e-8));
            p = step(p, 2.7620138719733995569e-7);
            p = step(p, 2.7557268378684192873e-6);
            p = step(p, 2.4801521190217727651e-5);
            p = step(p, 1.9841269863105968748e-4);
            p = step(p, 1.3888888917281793308e-3);
            p = step(p, 8.3333333333300513464e-3);
            p = step(p, 0.041666666666623991516);
            p = step(p, 0.16666666666666667456);
        }
        return step(p, 0.5);
    }
    /// 2^(n + power), where that is a normal number.
    template <int power>
    SIGMA_INLINE V scale() const {
        const Bits<T> shifted = bits + Bits<T>(static_cast<Word<T>>(power - bias));
        return on_cpu::bitwise_cast<V>(shifted << fraction);
    }
    /// y·2^n, gradually down to zero and up to infinity: two factors of half the exponent.
    SIGMA_INLINE V scaled(V y) const {
#if defined(__AVX512F__)
        return scale_by_power<T>(y, n);
#else
        const Bits<T> half = bits >> 1;
        return y * on_cpu::bitwise_cast<V>(half << fraction) * on_cpu::bitwise_cast<V>((bits - half) << fraction);
#endif
    }
};

/// Between two bounds; NaN passes.
template <class T>
SIGMA_INLINE Vector<T> clamp(Vector<T> x, double low, double high) {
    return on_cpu::min(Vector<T>(static_cast<T>(high)), on_cpu::max(Vector<T>(static_cast<T>(low)), x));
}

}  // namespace detail

/// At most 1.3 ulp, denormal results included.
template <class T>
SIGMA_INLINE Vector<T> exp(Vector<T> x) {
    constexpr bool single = sizeof(T) == 4;
    const detail::Reduced<T> a(detail::clamp<T>(x, single ? -104.5 : -746.0, single ? 89.0 : 710.0));
    const Vector<T> one(T(1));
    return a.scaled(fused_multiply_add<T>(fused_multiply_add<T>(a.second_order(), a.r, one), a.r, one));
}

/// exp(x) - 1, accurate near 0 as well.
template <class T>
SIGMA_INLINE Vector<T> expm1(Vector<T> x) {
    using V = Vector<T>;
    constexpr bool single = sizeof(T) == 4;
    const detail::Reduced<T> a(detail::clamp<T>(x, single ? -30.0 : -60.0, single ? 89.0 : 710.0));
    const V p = fused_multiply_add<T>(a.second_order(), a.r * a.r, a.r);
    const V half = a.template scale<-1>();  // 2^(n-1), because 2^n may be too great
    const V y = fused_multiply_add<T>(half, p, half - V(T(0.5)));
    return on_cpu::select(x == V(T(0)), x, y + y);  // keeps -0
}

/// In float a rational minimax approximation of degree 9 over 8, x·P(x²)/Q(x²) with P(0) = Q(0) = 1, whose coefficients
/// were adjusted in their last bits: tiny numbers pass unchanged, and beyond ±9.02 it is exactly ±1. In double up to
/// 5/8 one of degree 7 over 6 (Cephes, S. Moshier), beyond that 1 - 2/(exp(2x)+1), which loses all relative accuracy
/// near 0.
template <class T>
SIGMA_INLINE Vector<T> tanh(Vector<T> x) {
    using V = Vector<T>;
    if constexpr (sizeof(T) == 8) {
        const V a = on_cpu::abs(x), sign = x ^ a, one(T(1));
        const Mask<T> near = a < V(T(0.625));
        V y = one;
        if (on_cpu::any(near)) {
            const V q = x * x;
            const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, q, V(static_cast<T>(k))); };
            const V p =
                step(step(V(T(-9.64399179425052238628e-1)), -9.92877231001918586564e1), -1.61468768441708447952e3);
            const V r =
                step(step(q + V(T(1.12811678491632931402e2)), 2.23548839060100448583e3), 4.84406305325125486048e3);
            y = fused_multiply_add<T>(q * p / r, a, a);
            if (on_cpu::all(near)) return y ^ sign;
        }
        return on_cpu::select(near, y, fused_multiply_add<T>(V(T(-2)), one / (one + on_cpu::exp<T>(a + a)), one)) ^
               sign;
    } else {
        const V c = detail::clamp<T>(x, -9.02, 9.02);
        const V q = c * c;
        const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, q, V(static_cast<T>(k))); };
        V p(T(1.33827358e-08));
        p = step(p, 2.06350305e-05);
        p = step(p, 3.49739962e-03);
        p = step(p, 0.133826137);
        V r(T(7.78970104e-07));
        r = step(r, 3.28844006e-04);
        r = step(r, 0.025884077);
        r = step(r, 0.467159331);
        return detail::clamp<T>(c * step(p, 1) / step(r, 1), -1, 1);  // rounding may lead one bit past 1
    }
}

/// 1 / (1 + e^-x).
template <class T>
SIGMA_INLINE Vector<T> sigmoid(Vector<T> x) {
    const Vector<T> one(T(1));
    return one / (one + on_cpu::exp<T>(-x));
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
