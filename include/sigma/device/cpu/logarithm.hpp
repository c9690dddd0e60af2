// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

#include <limits>

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

/// x = 2^k·m with m in [√½, √2), then log m by the series in s = f/(2+f), f = m - 1 (FreeBSD's e_log.c and e_logf.c,
/// Sun Microsystems 1993). At most 1 ulp, subnormal numbers included. xsimd 8.1 is wrong for subnormal doubles, and
/// slow for all of them.
template <class T>
SIGMA_INLINE Vector<T> log(Vector<T> x) {
    using V = Vector<T>;
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using Bits = xsimd::batch<Word>;
    constexpr bool single = sizeof(T) == 4;
    constexpr int fraction = std::numeric_limits<T>::digits - 1;
    constexpr Word one = static_cast<Word>(std::numeric_limits<T>::max_exponent - 1) << fraction;
    constexpr Word root = single ? Word(0x3f3504f3) : static_cast<Word>(0x3fe6a09e667f3bcd);  // √½
    constexpr T whole = single ? T(0x1p23) : T(0x1p52);  // its low bits count in ones
    const Bits whole_bits = xsimd::bitwise_cast<Bits>(V(whole));

    const auto tiny = x < V(std::numeric_limits<T>::min());
    const V scaled = xsimd::select(tiny, x * V(whole), x);
    const Bits shifted = xsimd::bitwise_cast<Bits>(scaled) + Bits(one - root);
    const V k = xsimd::bitwise_cast<V>((shifted >> fraction) | whole_bits) -
                xsimd::select(tiny, V(whole + T(std::numeric_limits<T>::max_exponent - 1 + fraction)),
                              V(whole + T(std::numeric_limits<T>::max_exponent - 1)));
    const V m = xsimd::bitwise_cast<V>((shifted & Bits((Word(1) << fraction) - 1)) + Bits(root));

    const V f = m - V(T(1));
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
    const V small = fused_multiply_add<T>(k, V(static_cast<T>(single ? 9.0580006145e-06 : 1.90821492927058770002e-10)),
                                          s * fused_multiply_add<T>(r, z, half));
    const V large = k * V(static_cast<T>(single ? 6.9313812256e-01 : 6.93147180369123816490e-01));
    const V y = large - ((half - small) - f);

    const V infinity(std::numeric_limits<T>::infinity());
    const V outside = xsimd::select(x == V(T(0)), -infinity, V(std::numeric_limits<T>::quiet_NaN()));
    return xsimd::select(x > V(T(0)), xsimd::select(x == infinity, x, y), outside);
}

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
