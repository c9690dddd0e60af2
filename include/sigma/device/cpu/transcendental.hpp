// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

#include <limits>

// exp and related functions on vectors. docs/accuracy.md lists the accuracy; coefficients are minimax fits computed
// with 60 digits.
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// The reduction x = n·ln 2 + r with |r| <= ln 2 / 2. The low bits of `bits` are n + 2·bias, so that a shift turns them
/// into exponents of floating-point numbers.
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
    /// Returns (e^r - 1 - r) / r².
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
    /// Returns 2^(n + power), which must be a normal number.
    template <int power>
    SIGMA_INLINE V scale() const {
        const Bits<T> shifted = bits + Bits<T>(static_cast<Word<T>>(power - bias));
        return on_cpu::bitwise_cast<V>(shifted << fraction);
    }
    /// Returns y·2^n as two factors of half the exponent, with subnormal results and overflow to infinity.
    SIGMA_INLINE V scaled(V y) const {
#if defined(__AVX512F__)
        return scale_by_power<T>(y, n);
#else
        const Bits<T> half = bits >> 1;
        return y * on_cpu::bitwise_cast<V>(half << fraction) * on_cpu::bitwise_cast<V>((bits - half) << fraction);
#endif
    }
};

/// Limits x to an interval; NaN stays NaN.
template <class T>
SIGMA_INLINE Vector<T> clamp(Vector<T> x, double low, double high) {
    return on_cpu::min(Vector<T>(static_cast<T>(high)), on_cpu::max(Vector<T>(static_cast<T>(low)), x));
}

}  // namespace detail

/// Computes e^x with an error of at most 1.3 ulp, including subnormal results.
template <class T>
SIGMA_INLINE Vector<T> exp(Vector<T> x) {
    constexpr bool single = sizeof(T) == 4;
    const detail::Reduced<T> a(detail::clamp<T>(x, single ? -104.5 : -746.0, single ? 89.0 : 710.0));
    const Vector<T> one(T(1));
    return a.scaled(fused_multiply_add<T>(fused_multiply_add<T>(a.second_order(), a.r, one), a.r, one));
}

/// Computes e^x - 1, also accurate near 0.
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

/// Computes tanh. In float by a rational minimax approximation of degree 9 over 8, x·P(x²)/Q(x²) with P(0) = Q(0) = 1.
/// The last bits of its coefficients are adjusted, so that tiny numbers stay unchanged and beyond ±9.02 it is exactly
/// ±1. In double up to 5/8 by one of degree 7 over 6 (Cephes, S. Moshier), and beyond by 1 - 2/(exp(2x)+1), which is
/// inexact near 0.
template <class T>
SIGMA_INLINE Vector<T> tanh(Vector<T> x) {
    using V = Vector<T>;
    if constexpr (sizeof(T) == 8) {
        const V a = on_cpu::abs(x), sign = x ^ a, one(T(1));
        const Mask<T> nearby = a < V(T(0.625));
        V y = one;
        if (on_cpu::any(nearby)) {
            const V q = x * x;
            const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, q, V(static_cast<T>(k))); };
            const V p =
                step(step(V(T(-9.64399179425052238628e-1)), -9.92877231001918586564e1), -1.61468768441708447952e3);
            const V r =
                step(step(q + V(T(1.12811678491632931402e2)), 2.23548839060100448583e3), 4.84406305325125486048e3);
            y = fused_multiply_add<T>(q * p / r, a, a);
            if (on_cpu::all(nearby)) return y ^ sign;
        }
        return on_cpu::select(nearby, y, fused_multiply_add<T>(V(T(-2)), one / (one + on_cpu::exp<T>(a + a)), one)) ^
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

/// Computes 1 / (1 + e^-x).
template <class T>
SIGMA_INLINE Vector<T> sigmoid(Vector<T> x) {
    const Vector<T> one(T(1));
    return one / (one + on_cpu::exp<T>(-x));
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// The decomposition x = 2^k·m with m in [√½, √2), for normal positive numbers x. The member `k` is greater by
/// `excess`.
template <class T>
struct Binade {
    using V = Vector<T>;
    static constexpr bool single = sizeof(T) == 4;
    static constexpr int fraction = std::numeric_limits<T>::digits - 1;
    static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    static constexpr Word<T> one = static_cast<Word<T>>(bias) << fraction;
    static constexpr Word<T> root = static_cast<Word<T>>(single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);  // √½
    static constexpr T whole = single ? T(0x1p23) : T(0x1p52);  // its low bits count in ones
    static constexpr T excess = whole + T(bias);

    V k, f;  // f = m - 1

    SIGMA_INLINE explicit Binade(V x) {
        const Bits<T> shifted = on_cpu::bitwise_cast<Bits<T>>(x) + Bits<T>(one - root);
        k = on_cpu::bitwise_cast<V>((shifted >> fraction) | on_cpu::bitwise_cast<Bits<T>>(V(whole)));
        f = on_cpu::bitwise_cast<V>((shifted & Bits<T>((Word<T>(1) << fraction) - 1)) + Bits<T>(root)) - V(T(1));
    }
    /// Returns k·ln 2 + log m - less, with the true k and log m by the series in s = f/(2+f) (FreeBSD's e_log.c and
    /// e_logf.c, Sun Microsystems 1993).
    SIGMA_INLINE V log(V exponent, V less) const {
        const V s = f / (V(T(2)) + f);
        const V z = s * s;
        const auto step = [&](V p, double c) { return fused_multiply_add<T>(p, z, V(static_cast<T>(c))); };
        V r;
        if constexpr (single) {
            r = step(step(step(V(T(0.24279078841)), 0.28498786688), 0.40000972152), 0.66666662693);
        } else {
            r = step(step(step(V(T(0.1479819860511658591)), 0.1531383769920937332), 0.1818357216161805012),
                     0.2222219843214978396);
            r = step(step(step(r, 0.2857142874366239149), 0.3999999999940941908), 0.6666666666666735130);
        }
        const V half = V(T(0.5)) * f * f;
        // k·ln 2 in two parts; the first is exact
        const V little =
            fused_multiply_add<T>(exponent, V(static_cast<T>(single ? 9.0580006145e-06 : 1.90821492927058770002e-10)),
                                  fused_multiply_subtract<T>(s, fused_multiply_add<T>(r, z, half), less));
        const V large = exponent * V(static_cast<T>(single ? 6.9313812256e-01 : 6.93147180369123816490e-01));
        return large - ((half - little) - f);
    }
};

/// Returns `y` if x is positive and finite, otherwise the limit of log x.
template <class T>
SIGMA_INLINE Vector<T> log_or_limit(Vector<T> x, Vector<T> y) {
    using V = Vector<T>;
    const V infinity(std::numeric_limits<T>::infinity());
    const V outside = on_cpu::select(x == V(T(0)), -infinity, V(std::numeric_limits<T>::quiet_NaN()));
    return on_cpu::select(x > V(T(0)), on_cpu::select(x == infinity, x, y), outside);
}

}  // namespace detail

/// Computes log x with an error of at most 1 ulp, including subnormal numbers.
template <class T>
SIGMA_INLINE Vector<T> log(Vector<T> x) {
    using V = Vector<T>;
    using Binade = detail::Binade<T>;
    const Mask<T> tiny = x < V(std::numeric_limits<T>::min());
    const Binade b(on_cpu::select(tiny, x * V(Binade::whole), x));
    const V k = b.k - on_cpu::select(tiny, V(Binade::excess + T(Binade::fraction)), V(Binade::excess));
    return detail::log_or_limit<T>(x, b.log(k, V(T(0))));
}

/// Computes log(1 + x) with an error of at most 1 ulp. The rounding error of u = 1 + x is subtracted as a share of u.
template <class T>
SIGMA_INLINE Vector<T> log1p(Vector<T> x) {
    using V = Vector<T>;
    using Binade = detail::Binade<T>;
    const V one(T(1)), u = one + x;
    const Binade b(u);
    const V added = on_cpu::select(x > one, (u - x) - one, (u - one) - x) / u;
    return detail::log_or_limit<T>(u, b.log(b.k - V(Binade::excess), added));
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

// Sine and cosine on vectors, by polynomials of Cephes (S. Moshier). Lanes do not depend on each other, because results
// would then depend on how threads divide the work.
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// Computes sin(x + quarter·π/2): x = n·π/2 + r with |r| <= π/4, then sin or cos of r by the quadrant. π/2 is split
/// into parts so short that their products with n are exact up to the limit. The C library computes greater arguments.
template <int quarter, class T>
SIGMA_INLINE Vector<T> sine(Vector<T> x) {
    using V = Vector<T>;
    constexpr bool single = sizeof(T) == 4;
    constexpr T limit = single ? T(8000) : T(1e6);
    constexpr T round = static_cast<T>(single ? 0x1.8p23 : 0x1.8p52);  // has an ulp of 1
    constexpr int word = static_cast<int>(8 * sizeof(T));

    const V t = fused_multiply_add<T>(x, V(static_cast<T>(0.63661977236758134)), V(round));
    const V n = t - V(round);
    const auto less = [&](V r, double part) { return fused_multiply_add<T>(n, V(static_cast<T>(-part)), r); };
    V r = x;
    if constexpr (single) {
        r = less(less(r, 0x1.92p0), 0x1.fbp-12);               // 8 and 9 bits
        r = less(less(r, 0x1.51p-22), 0x1.0b4611a626331p-34);  // 9 bits and the rest
    } else {
        r = less(less(r, 1.57079632673412561417), 6.07710050630396597660e-11);  // 33 bits each
        r = less(r, 2.02226624879595063154e-21);
    }
    const V z = r * r;
    const auto step = [&](V p, double k) { return fused_multiply_add<T>(p, z, V(static_cast<T>(k))); };
    V s, c;
    if constexpr (single) {
        s = step(step(V(T(-1.9515295891e-4)), 8.3321608736e-3), -1.6666654611e-1);
        c = step(step(V(T(2.443315711809948e-5)), -1.388731625493765e-3), 4.166664568298827e-2);
    } else {
        s = step(step(V(T(1.58962301576546568060e-10)), -2.50507477628578072866e-8), 2.75573136213857245213e-6);
        s = step(step(step(s, -1.98412698295895385996e-4), 8.33333333332211858878e-3), -1.66666666666666307295e-1);
        c = step(step(V(T(-1.13585365213876817300e-11)), 2.08757008419747316778e-9), -2.75573141792967388112e-7);
        c = step(step(step(c, 2.48015872888517045348e-5), -1.38888888888730564116e-3), 4.16666666666665929218e-2);
    }
    s = fused_multiply_add<T>(s, z * r, r);
    const V half = z * V(T(-0.5));
    const V one = V(T(1)) + half;  // 1 - z/2; its rounding error is added below
    c = one + fused_multiply_add<T>(c, z * z, (V(T(1)) - one) + half);

    const Bits<T> quadrant = on_cpu::bitwise_cast<Bits<T>>(t) + Bits<T>(static_cast<Word<T>>(quarter));
    const V odd = on_cpu::bitwise_cast<V>(Bits<T>(0) - (quadrant & Bits<T>(1)));
    const V sign = on_cpu::bitwise_cast<V>((quadrant & Bits<T>(2)) << (word - 2));
    V y = (s ^ ((s ^ c) & odd)) ^ sign;
    if constexpr (quarter == 0) y = on_cpu::select(x == V(T(0)), x, y);  // keeps -0
    const auto great = on_cpu::abs(x) > V(limit);
    if (on_cpu::any(great)) {
        T in[lanes<T>], out[lanes<T>];
        x.store_unaligned(in);
        y.store_unaligned(out);
        for (int i = 0; i < lanes<T>; ++i) {
            if (in[i] >= -limit && in[i] <= limit) continue;
            if constexpr (single) out[i] = quarter == 0 ? __builtin_sinf(in[i]) : __builtin_cosf(in[i]);
            else out[i] = quarter == 0 ? __builtin_sin(in[i]) : __builtin_cos(in[i]);
        }
        y = V::load_unaligned(out);
    }
    return y;
}

}  // namespace detail

template <class T>
SIGMA_INLINE Vector<T> sin(Vector<T> x) {
    return detail::sine<0, T>(x);
}
template <class T>
SIGMA_INLINE Vector<T> cos(Vector<T> x) {
    return detail::sine<1, T>(x);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
