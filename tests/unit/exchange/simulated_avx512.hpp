// SPDX-License-Identifier: BSL-1.0
// Vectors of 512 bits as numbers in a row, for kernels of processors that are not here: what Intel's guide says of the
// intrinsics that exchange/quantized/kernel.ipp calls. Before it is included; vectors of 256 bits are those of AVX2.
#pragma once
#include "quantized/kernel.hpp"

#include <immintrin.h>
#include <bit>
#include <cstdint>
#include <cstring>

namespace simulated {

struct Vector {
    std::int16_t words[32];
};
struct Integers {
    std::int32_t each[16];
};
inline Vector of(const Integers& i) { return std::bit_cast<Vector>(i); }
inline Integers integers(const Vector& v) { return std::bit_cast<Integers>(v); }

inline Vector zero() { return {}; }
inline Vector all(std::int32_t x) {
    Integers i;
    for (std::int32_t& each : i.each) each = x;
    return of(i);
}
inline void store(void* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }
inline Vector load_bytes(const std::int8_t* from) {
    Vector v;
    for (int k = 0; k < 32; ++k) v.words[k] = from[k];
    return v;
}
inline Vector add(const Vector& a, const Vector& b) {
    Integers x = integers(a);
    for (int k = 0; k < 16; ++k) x.each[k] += integers(b).each[k];
    return of(x);
}
inline Vector multiply_pairs(const Vector& a, const Vector& b) {
    Integers x;
    for (int k = 0; k < 16; ++k) x.each[k] = a.words[2 * k] * b.words[2 * k] + a.words[2 * k + 1] * b.words[2 * k + 1];
    return of(x);
}
inline Vector add_pairs(const Vector& to, const Vector& a, const Vector& b) { return add(to, multiply_pairs(a, b)); }

}  // namespace simulated

#define __m512i ::simulated::Vector
#define _mm512_setzero_si512 ::simulated::zero
#define _mm512_set1_epi32 ::simulated::all
#define _mm512_storeu_si512 ::simulated::store
#define _mm512_add_epi32 ::simulated::add
#define _mm512_madd_epi16 ::simulated::multiply_pairs
#define _mm512_dpwssd_epi32 ::simulated::add_pairs
#define _mm512_cvtepi8_epi16(bytes) ::simulated::load_bytes(bytes)
#define _mm256_loadu_si256(from) reinterpret_cast<const std::int8_t*>(from)

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
