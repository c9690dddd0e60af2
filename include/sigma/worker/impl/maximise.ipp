// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/worker/maximise.hpp>

namespace sigma::detail {

SIGMA_IMPL std::vector<std::size_t> record_extents(const Shape& shape) {
    std::vector<std::size_t> extents;
    for (int i = 1; i < shape.rank; ++i) extents.push_back(static_cast<std::size_t>(shape[i]));
    return extents;
}

}  // namespace sigma::detail
