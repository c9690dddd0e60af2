// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Prints a line on stderr, once in a program, unless the environment variable SIGMA_UNOPTIMIZED is set.
[[gnu::cold]] void report_slowness();
/// Sets whether the line was printed. Returns whether it was before.
bool exchange_slowness_reported(bool reported);

/// Prints the line if the calling function is compiled without optimization: only an optimizer knows the value of a
/// variable. A test of __OPTIMIZE__ would give functions in headers several definitions if only parts of a program are
/// optimized. This test reports the definition that the linker chose.
[[gnu::always_inline]] inline void warn_if_unoptimized() {
    int one = 1;
    if (!__builtin_constant_p(one)) report_slowness();
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/optimized.ipp>
#endif
