// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sigma::detail {

inline std::atomic<bool> slowness_told{false};

/// A line on stderr, once in a program; none where the environment variable SIGMA_UNOPTIMIZED is set.
[[gnu::cold]] inline void tell_slowness() {
    if (slowness_told.exchange(true) || std::getenv("SIGMA_UNOPTIMIZED") != nullptr) return;
    std::fputs(
        "sigma: compiled without optimization, which makes networks hundreds of times slower: compile with -O2 or "
        "CMAKE_BUILD_TYPE=Release (SIGMA_UNOPTIMIZED=1 leaves out this line)\n",
        stderr);
}

/// Tells so where the function that calls this is compiled without optimization: only an optimizer knows the value of a
/// variable. Looking at __OPTIMIZE__ would give functions in headers several definitions where only parts of a program
/// are optimized; so it is the definition that the linker took that tells.
[[gnu::always_inline]] inline void tell_if_slow() {
    int one = 1;
    if (!__builtin_constant_p(one)) tell_slowness();
}

}  // namespace sigma::detail
