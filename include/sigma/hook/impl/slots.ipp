// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/slots.hpp>

namespace sigma::detail {

SIGMA_IMPL void Slot::publish(double x) {
    value = x;
    version = version + 1;
}

SIGMA_IMPL void Slot::restart() {
    value = std::numeric_limits<double>::quiet_NaN();
    version = 0;
}

}  // namespace sigma::detail
