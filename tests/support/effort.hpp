// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::test {

/// How many trials of `n` to make: a tenth where the compiler does not optimize, as under sanitizers, which look for
/// other faults than wrong numbers and take many times as long.
constexpr int effort(int n) {
#ifdef __OPTIMIZE__
    return n;
#else
    return n < 10 ? 1 : n / 10;
#endif
}

}  // namespace sigma::test
