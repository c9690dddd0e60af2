// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/optimized.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sigma::detail {

SIGMA_IMPL void tell_slowness() {
    static std::atomic<bool> told{false};
    if (told.exchange(true) || std::getenv("SIGMA_UNOPTIMIZED") != nullptr) return;
    std::fputs(
        "sigma: compiled without optimization, which makes networks hundreds of times slower: compile with -O2 or "
        "CMAKE_BUILD_TYPE=Release (SIGMA_UNOPTIMIZED=1 leaves out this line)\n",
        stderr);
}

}  // namespace sigma::detail
