// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/accumulate.hpp>

namespace sigma::detail {

SIGMA_IMPL std::uint64_t Period::number(Moment moment, const MomentCounts& counts) const {
    if (n == 0) return 0;
    const bool within = scale == Moment::epoch && moment != Moment::epoch;
    return within ? counts[scale] / n : (counts[scale] - 1) / n;
}

}  // namespace sigma::detail
