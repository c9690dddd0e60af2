// SPDX-License-Identifier: BSL-1.0
// A program of which one part is optimized and one is not: only the latter tells.
#include <sigma/core/optimized.hpp>

void begin_optimized();

int main() {
    begin_optimized();
    if (sigma::detail::exchange_slowness_reported(false)) return 1;
    sigma::detail::warn_if_unoptimized();
    return sigma::detail::exchange_slowness_reported(false) ? 0 : 2;
}
