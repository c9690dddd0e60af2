// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/acting/environment.hpp>

#include <array>
#include <cstddef>

namespace corridor {

// [corridor]
/// Five fields in a row, and a walker that begins in the middle. Action 1 goes to the right, where a reward of 1 waits.
/// The left end has none. An episode is cut off after 20 steps.
struct Corridor {
    static constexpr std::size_t actions = 2;
    std::size_t field = 2;
    int steps = 0;

    std::array<float, 5> reset(sigma::PhiloxSequence&) {
        field = 2;
        steps = 0;
        return observation();
    }
    sigma::EnvironmentStep<std::array<float, 5>> step(std::size_t action) {
        field = action == 1 ? field + 1 : field - 1;
        return {observation(), field == 4 ? 1.0 : 0.0, field == 0 || field == 4, ++steps == 20};
    }
    std::array<float, 5> observation() const {
        std::array<float, 5> seen{};
        seen[field] = 1;
        return seen;
    }
};
// [corridor]

}  // namespace corridor
