// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/slots.hpp>

namespace sigma::detail {

SIGMA_IMPL void Slot::publish(double x) {
    value.store(x, std::memory_order_relaxed);
    version.fetch_add(1, std::memory_order_release);
}

SIGMA_IMPL void Slot::restart() {
    value.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
    version.store(0, std::memory_order_release);
}

}  // namespace sigma::detail
