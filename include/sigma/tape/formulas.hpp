// SPDX-License-Identifier: BSL-1.0
#pragma once

// Functions that every device computes alike, of arithmetic, comparisons and functions that each device has for its
// numbers of type V (scalars, vectors): abs, sqrt, exp, fma, fmod, select(condition, yes, no), real<V>(constant) and
// is_single<V>. They are code for the processor and text for a GPU; SIGMA_DEVICE selects the device.
//   round_to_even, round_down  adding 2^23 (2^52) leaves no fraction; -0 stays
//   modulus                    of the divisor's sign, but 0 of the dividend's; NaN if the divisor is 0
//   arctangent                 Cephes (S. Moshier), atanf.c and atan.c; with the part that rounding π/2 has lost
//   settled_sum                adds a part of a sum to the total (Kahan 1965); the rounded-off rest, if anything is
//                              finite, begins the next part
//   error_function             Cephes, ndtr.c: x·T(x²)/U(x²) up to 1, beyond that 1 - e^(-x²)·P(x)/Q(x)
#define SIGMA_SETTLED_SUM                                               \
    template <class V>                                                  \
    SIGMA_DEVICE V settled_sum(V total, V& part) {                      \
        const V sum = total + part, rounded_off = part - (sum - total); \
        part = select(sum - sum == V(0), rounded_off, V(0));            \
        return sum;                                                     \
    }
#define SIGMA_FORMULAS                                                                                                 \
    SIGMA_SETTLED_SUM                                                                                                  \
    template <class V>                                                                                                 \
    SIGMA_DEVICE V round_to_even(V a) {                                                                                \
        const V whole = real<V>(is_single<V> ? 0x1p23 : 0x1p52), x = abs(a);                                           \
        const V y = (x + whole) - whole;                                                                               \
        return select(x < whole, select(a == V(0), a, select(a < V(0), -y, y)), a);                                    \
    }                                                                                                                  \
    template <class V>                                                                                                 \
    SIGMA_DEVICE V round_down(V a) {                                                                                   \
        const V y = round_to_even(a);                                                                                  \
        return y - select(y > a, V(1), V(0));                                                                          \
    }                                                                                                                  \
    template <class V>                                                                                                 \
    SIGMA_DEVICE V modulus(V a, V b) {                                                                                 \
        const V r = fmod(a, b);                                                                                        \
        return select(b < V(0), select(r > V(0), r + b, r), select(r < V(0), r + b, r));                               \
    }                                                                                                                  \
    template <class V>                                                                                                 \
    SIGMA_DEVICE V arctangent(V a) {                                                                                   \
        const V x = abs(a), inner = real<V>(is_single<V> ? 0.41421356237309505 : 0.66);                                \
        const auto outer = x > real<V>(2.4142135623730950);                                                            \
        const V r = select(outer, V(-1) / x, select(x > inner, (x - V(1)) / (x + V(1)), x));                           \
        const V parts = select(outer, V(2), select(x > inner, V(1), V(0)));                                            \
        const V rest = parts * real<V>(is_single<V> ? -2.1855694143368964e-8 : 3.061616997868383e-17);                 \
        const V z = r * r;                                                                                             \
        const auto step = [&](V p, double k) { return fma(p, z, real<V>(k)); };                                        \
        V p = V(0);                                                                                                    \
        if constexpr (is_single<V>) {                                                                                  \
            p = step(step(real<V>(8.05374449538e-2), -1.38776856032e-1), 1.99777106478e-1);                            \
            p = step(p, -3.33329491539e-1) * z;                                                                        \
        } else {                                                                                                       \
            p = step(step(real<V>(-8.750608600031904122785e-1), -1.615753718733365076637e1),                           \
                     -7.500855792314704667340e1);                                                                      \
            p = step(step(p, -1.228866684490136173410e2), -6.485021904942025371773e1) * z;                             \
            V q = step(step(z + real<V>(2.485846490142306297962e1), 1.650270098316988542046e2),                        \
                       4.328810604912902668951e2);                                                                     \
            q = step(step(q, 4.853903996359136964868e2), 1.945506571482613964425e2);                                   \
            p = p / q;                                                                                                 \
        }                                                                                                              \
        const V y = fma(parts, real<V>(0.78539816339744830962), fma(p, r, r) + rest);                                  \
        return select(a == V(0), a, select(a < V(0), -y, y));                                                          \
    }                                                                                                                  \
    template <class V>                                                                                                 \
    SIGMA_DEVICE V error_function(V a) {                                                                               \
        const V most = V(6), x = select(abs(a) > most, most, abs(a));                                                  \
        const auto inner = x < V(1);                                                                                   \
        const auto polynomial = [](V z, V p, auto... k) { return ((p = fma(p, z, real<V>(k))), ...); };                \
        const V z = x * x;                                                                                             \
        const V t = polynomial(z, real<V>(9.60497373987051638749), 90.0260197203842689217, 2232.00534594684319226,     \
                               7003.32514112805075473, 55592.3013010394962768);                                        \
        const V u = polynomial(z, z + real<V>(33.5617141647503099647), 521.357949780152679795, 4594.32382970980127987, \
                               22629.0000613890934246, 49267.3942608635921086);                                        \
        const V p =                                                                                                    \
            polynomial(x, real<V>(2.46196981473530512524e-10), 5.64189564831068821977e-1, 7.46321056442269912687,      \
                       48.6371970985681366614, 196.520832956077098242, 526.445194995477358631, 934.528527171957607540, \
                       1027.55188689515710272, 557.535335369399327526);                                                \
        const V q = polynomial(x, x + real<V>(13.2281951154744992508), 86.7072140885989742329, 354.937778887819891062, \
                               975.708501743205489753, 1823.90916687909736289, 2246.33760818710981792,                 \
                               1656.66309194161350182, 557.535340817727675546);                                        \
        const V beyond = V(1) - exp(-z) * p / q;                                                                       \
        return select(inner, a * t / u, select(a < V(0), -beyond, beyond));                                            \
    }
