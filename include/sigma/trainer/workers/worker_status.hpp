// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// WorkerStatus, the state of one worker of a run. Included by `<sigma/sigma.hpp>`.
#include <cstdint>
#include <string>

namespace sigma {

/// The state of one worker of a run, as `visit_workers` of a trainer passes it.
///
/// @see workers
struct WorkerStatus {
    std::string device{};         ///< Name of the worker's device, such as "cpu".
    bool trains = false;          ///< True if the worker is training, false if it waits.
    std::uint64_t steps = 0;      ///< Steps in this run.
    double steps_per_second = 0;  ///< Steps per second in this run.
    /// Loss of a recent step. NaN until the worker has taken a step after the first call of `visit_workers`.
    double loss = 0;
    double waiting = 0;  ///< Share of the time since its first step that the worker has waited, 0 to 1.
};

}  // namespace sigma
