// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/run_clock.hpp>

namespace sigma::detail {

SIGMA_IMPL void RunClock::resume(Time now) noexcept {
    replace([&](std::int64_t value) { return is_going(value) ? value : going(count(now) - number(value)); });
}

SIGMA_IMPL void RunClock::pause(Time now) noexcept {
    replace([&](std::int64_t value) { return is_going(value) ? still(count(now) - number(value)) : value; });
}

SIGMA_IMPL void RunClock::add(double seconds) noexcept {
    const auto more = static_cast<std::int64_t>(seconds * 1e9);
    replace([&](std::int64_t value) {
        return is_going(value) ? going(number(value) - more) : still(number(value) + more);
    });
}

SIGMA_IMPL double RunClock::elapsed(Time now) const noexcept {
    const std::int64_t value = value_.load();
    return static_cast<double>(is_going(value) ? count(now) - number(value) : number(value)) * 1e-9;
}

SIGMA_IMPL std::int64_t RunClock::count(Time now) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

}  // namespace sigma::detail
