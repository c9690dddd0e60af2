// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

#include <limits>

/// Sine and cosine on vectors, whose lanes do not depend on their neighbours: a result would depend on how threads
/// share the work. Polynomials of Cephes (S. Moshier).
namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// sin(x + quarter·π/2): x = n·π/2 + r with |r| <= π/4, then sin or cos of r by the quadrant. π/2 comes in parts so
/// short that their products with n are exact up to the limit; greater arguments go to the C library, lane by lane.
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
    const V one = V(T(1)) + half;  // 1 - z/2, and what that rounded away
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
