// SPDX-License-Identifier: BSL-1.0
// exp and tanh as a careful hand-written program has them: a few ulp, no special cases.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop

#include <cstddef>

namespace plain {

using Vector = xsimd::batch<float>;
constexpr std::size_t width = Vector::size;

inline Vector load(const float* p) { return Vector::load_unaligned(p); }
inline void store(float* p, Vector v) { v.store_unaligned(p); }

template <class... C>
inline Vector polynomial(Vector x, float first, C... rest) {
    Vector p(first);
    ((p = p * x + Vector(rest)), ...);
    return p;
}
inline Vector exponential(Vector v) {
    const Vector x = xsimd::min(xsimd::max(v, Vector(-87.3f)), Vector(88.3f));
    const Vector n = xsimd::nearbyint(x * Vector(1.44269504f));
    const Vector r = x - n * Vector(0.693359375f) + n * Vector(2.12194440e-4f);
    const Vector p =
        polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 0.5f);
    return xsimd::ldexp(p * (r * r) + (r + Vector(1.0f)), xsimd::to_int(n));
}
inline Vector hyperbolic_tangent(Vector v) {
    const Vector x = xsimd::min(xsimd::max(v, Vector(-7.90531110763549805f)), Vector(7.90531110763549805f));
    const Vector q = x * x;
    const Vector p =
        polynomial(q, -2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f, 5.12229709037114e-08f,
                   1.48572235717979e-05f, 6.37261928875436e-04f, 4.89352455891786e-03f);
    return p * x /
           polynomial(q, 1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f);
}

}  // namespace plain
