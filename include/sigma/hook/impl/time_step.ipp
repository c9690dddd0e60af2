// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/time_step.hpp>

namespace sigma {

SIGMA_IMPL EverySeconds::EverySeconds(double seconds, std::uint64_t live) : seconds_(seconds), live_(live) {
    if (!(seconds > 0)) throw ArgumentError("every", "a time above 0", sentence(seconds, " s"));
}

}  // namespace sigma
