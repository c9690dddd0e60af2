// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/comparison.hpp>

namespace sigma::detail {

SIGMA_IMPL double checked_change(const std::string& of, double by) {
    if (!(by >= 0)) throw ArgumentError(of + ".by", "0 or more", sentence(by));
    return by;
}

}  // namespace sigma::detail
