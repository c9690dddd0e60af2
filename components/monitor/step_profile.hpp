// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "json.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sigma::monitor {

struct Shown;

/// A profile of steps of a running trainer, which a client has requested. A thread waits for the steps and makes the
/// profile.
class StepProfile {
public:
    static constexpr std::uint64_t steps = 100;

    StepProfile() = default;
    StepProfile(const StepProfile&) = delete;
    StepProfile& operator=(const StepProfile&) = delete;
    ~StepProfile();

    /// Begins a profile. Throws Error if the trainer is not running, or if another profile is being measured.
    void begin(std::shared_ptr<Shown> trainer);
    /// Returns `measuring` (number of steps so far) or, unless the client has `seen` this version, the result; null if
    /// no profile of this trainer was requested last.
    Json answer(std::string_view trainer, std::uint64_t seen) const;

private:
    mutable std::mutex mutex_;  // guards the members up to the next comment
    std::string trainer_;
    bool measuring_ = false;
    std::uint64_t version_ = 0;
    Json result_;
    // Used by the thread and others.
    std::atomic<std::uint64_t> done_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;  // last: it uses all other members

    Json measure(const Shown& trainer);
};

}  // namespace sigma::monitor
