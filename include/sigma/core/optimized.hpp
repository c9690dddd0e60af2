// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// A line on stderr, once in a program; none where the environment variable SIGMA_UNOPTIMIZED is set.
[[gnu::cold]] void tell_slowness();
/// Was it told? From now on it was, or not.
bool exchange_slowness_told(bool told);

/// Tells so where the function that calls this is compiled without optimization: only an optimizer knows the value of a
/// variable. Looking at __OPTIMIZE__ would give functions in headers several definitions where only parts of a program
/// are optimized; so it is the definition that the linker took that tells.
[[gnu::always_inline]] inline void tell_if_slow() {
    int one = 1;
    if (!__builtin_constant_p(one)) tell_slowness();
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/optimized.ipp>
#endif
