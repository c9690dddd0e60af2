// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// Computes vectors of multiply-adds in registers, as an upper limit of what a core can do. Stores a sum, so that the
/// compiler keeps the loop. Returns the number of multiply-adds.
template <class T>
double multiply_adds(long turns, T* result) {
    // Independent sums, so that none waits for the one before, and all are in registers.
#if defined(__x86_64__)
    constexpr int chains = 12;
#else
    constexpr int chains = 20;
#endif
    Vector<T> sum[chains];
    const Vector<T> factor(*result), term(T(1e-3));  // known only at run time
    for (int c = 0; c < chains; ++c) sum[c] = Vector<T>(static_cast<T>(c));
    for (long i = 0; i < turns; ++i)
        for (int c = 0; c < chains; ++c) sum[c] = fused_multiply_add<T>(sum[c], factor, term);
    for (int c = 1; c < chains; ++c) sum[0] = sum[0] + sum[c];
    *result = sum[0].get(0);
    return static_cast<double>(turns) * chains * lanes<T>;
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
