// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/pendulum.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sigma {

SIGMA_IMPL Pendulum::Pendulum(std::int64_t longest) : longest_(longest) {
    if (longest < 1) throw ArgumentError("Pendulum", "a longest episode of 1 step or more", sentence(longest));
}
SIGMA_IMPL std::array<float, 3> Pendulum::observation() const {
    return {static_cast<float>(std::cos(angle_)), static_cast<float>(std::sin(angle_)), static_cast<float>(speed_)};
}
SIGMA_IMPL std::array<float, 3> Pendulum::reset(PhiloxSequence& random) {
    steps_ = 0;
    angle_ = random.uniform(-std::numbers::pi, std::numbers::pi);
    speed_ = random.uniform(-1.0, 1.0);
    return observation();
}
SIGMA_IMPL EnvironmentStep<std::array<float, 3>> Pendulum::step(std::span<const float> action) {
    const double torque = std::clamp(double{action[0]}, -2.0, 2.0);
    const double lean = std::remainder(angle_, 2 * std::numbers::pi);
    const double reward = -(lean * lean + 0.1 * speed_ * speed_ + 0.001 * torque * torque);
    speed_ = std::clamp(speed_ + 0.05 * (15 * std::sin(angle_) + 3 * torque), -8.0, 8.0);
    angle_ += 0.05 * speed_;
    return {observation(), reward, false, ++steps_ >= longest_};
}

}  // namespace sigma
