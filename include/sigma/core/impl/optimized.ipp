// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/optimized.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sigma::detail {

SIGMA_IMPL bool exchange_slowness_reported(bool reported) {
    static std::atomic<bool> was_reported{false};
    return was_reported.exchange(reported);
}

SIGMA_IMPL void report_slowness() {
    if (exchange_slowness_reported(true) || std::getenv("SIGMA_UNOPTIMIZED") != nullptr) return;
    std::fputs(
        "sigma: compiled without optimization, or linked with a library that interprets: networks are a hundred times "
        "slower. Compile with -O2 or CMAKE_BUILD_TYPE=Release (SIGMA_UNOPTIMIZED=1 hides this line)\n",
        stderr);
}

}  // namespace sigma::detail
