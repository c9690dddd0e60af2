// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

namespace sigma::detail {

/// Which random numbers a step draws: the same key gives the same numbers on any device, thread and vector width.
struct RandomKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
    std::uint32_t record = 0;  ///< the place of the first record in its batch, where that is a part of one
};

}  // namespace sigma::detail
