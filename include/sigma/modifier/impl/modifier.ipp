// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/modifier/modifier.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL detail::Clip clip(double minimum, double maximum) {
    if (!(minimum <= maximum))
        throw ArgumentError("clip", "a minimum of at most the maximum", sentence(minimum, " and ", maximum));
    return {minimum, maximum};
}

SIGMA_IMPL double MaxNorm::factor(double squares) const {
    const double norm = std::sqrt(squares);
    return norm > limit ? limit / norm : 1;
}

SIGMA_IMPL MaxNorm max_norm(double limit, Per per) {
    if (!(limit > 0)) throw ArgumentError("max_norm", "a limit above 0", sentence(limit));
    return {limit, per};
}

SIGMA_IMPL detail::Scale scale(double factor) {
    if (!std::isfinite(factor)) throw ArgumentError("scale", "a finite factor", sentence(factor));
    return {factor};
}

}  // namespace sigma
