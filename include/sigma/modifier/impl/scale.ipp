// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/modifier/scale.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL detail::Scale scale(double factor) {
    if (!std::isfinite(factor)) throw ArgumentError("scale", "a finite factor", sentence(factor));
    return {factor};
}

}  // namespace sigma
