// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

#include <limits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// x = 2^k·m with m in [√½, √2), for normal positive numbers x. `k` is greater by `excess`.
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
    /// k·ln 2 + log m - less, with the true k. log m by the series in s = f/(2+f) (FreeBSD's e_log.c and e_logf.c, Sun
    /// Microsystems 1993).
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
        // k·ln 2 in two parts, of which the first is exact
        const V small =
            fused_multiply_add<T>(exponent, V(static_cast<T>(single ? 9.0580006145e-06 : 1.90821492927058770002e-10)),
                                  fused_multiply_subtract<T>(s, fused_multiply_add<T>(r, z, half), less));
        const V large = exponent * V(static_cast<T>(single ? 6.9313812256e-01 : 6.93147180369123816490e-01));
        return large - ((half - small) - f);
    }
};

/// `y` where x is positive and finite; what log x is elsewhere.
template <class T>
SIGMA_INLINE Vector<T> log_or_limit(Vector<T> x, Vector<T> y) {
    using V = Vector<T>;
    const V infinity(std::numeric_limits<T>::infinity());
    const V outside = on_cpu::select(x == V(T(0)), -infinity, V(std::numeric_limits<T>::quiet_NaN()));
    return on_cpu::select(x > V(T(0)), on_cpu::select(x == infinity, x, y), outside);
}

}  // namespace detail

/// At most 1 ulp, subnormal numbers included.
template <class T>
SIGMA_INLINE Vector<T> log(Vector<T> x) {
    using V = Vector<T>;
    using Binade = detail::Binade<T>;
    const Mask<T> tiny = x < V(std::numeric_limits<T>::min());
    const Binade b(on_cpu::select(tiny, x * V(Binade::whole), x));
    const V k = b.k - on_cpu::select(tiny, V(Binade::excess + T(Binade::fraction)), V(Binade::excess));
    return detail::log_or_limit<T>(x, b.log(k, V(T(0))));
}

/// log(1 + x): at most 1 ulp. What rounding has added to u = 1 + x is taken away as a share of u.
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
