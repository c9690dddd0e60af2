// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace sigma::detail {

/// Who trains: the thread that must not wait for itself. No thread when the trainer is idle.
struct TrainingThread {
    std::string trainer;
    std::atomic<std::thread::id> id{};
};

}  // namespace sigma::detail
