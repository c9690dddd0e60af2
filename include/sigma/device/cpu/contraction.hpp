// SPDX-License-Identifier: BSL-1.0
// Products and sums stay what plan/contract.hpp has made of them: two operations where it has not put them together.
#pragma once
#include <sigma/device/cpu/vector.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// The same vector, of which the compiler does not know how it was made: it cannot fuse a product with an addition that
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
