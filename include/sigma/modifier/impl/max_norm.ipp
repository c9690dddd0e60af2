// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/modifier/max_norm.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL double MaxNorm::factor(double squares) const {
    const double norm = std::sqrt(squares);
    return norm > limit ? limit / norm : 1;
}

SIGMA_IMPL MaxNorm max_norm(double limit, Per per) {
    if (!(limit > 0)) throw ArgumentError("max_norm", "a limit above 0", sentence(limit));
    return {limit, per};
}

}  // namespace sigma
