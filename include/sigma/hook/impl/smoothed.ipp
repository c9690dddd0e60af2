// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/smoothed.hpp>

namespace sigma::detail {

SIGMA_IMPL double checked_share(double share) {
    if (!(share >= 0 && share < 1))
        throw ArgumentError("smoothed", "a share to keep from 0 to below 1", sentence(share));
    return share;
}

}  // namespace sigma::detail
