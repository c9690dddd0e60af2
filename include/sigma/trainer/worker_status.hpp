// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <string>

namespace sigma {

/// How one of the workers of a run is doing.
struct WorkerStatus {
    std::string device{};
    bool trains = false;      ///< or waits
    std::uint64_t steps = 0;  ///< in this run
    double steps_per_second = 0;
    double loss = 0;     ///< of a step since somebody has asked for it; NaN before
    double waiting = 0;  ///< share of its time since its first step
};

}  // namespace sigma
