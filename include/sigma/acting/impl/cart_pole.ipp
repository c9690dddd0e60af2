// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/cart_pole.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

#include <cmath>
#include <numbers>

namespace sigma {

SIGMA_IMPL CartPole::CartPole(std::int64_t longest) : longest_(longest) {
    if (longest < 1) throw ArgumentError("CartPole", "a longest episode of 1 step or more", sentence(longest));
}
SIGMA_IMPL std::array<float, 4> CartPole::observation() const {
    std::array<float, 4> seen{};
    for (std::size_t i = 0; i < 4; ++i) seen[i] = static_cast<float>(state_[i]);
    return seen;
}
SIGMA_IMPL std::array<float, 4> CartPole::reset(PhiloxSequence& random) {
    steps_ = 0;
    for (double& s : state_) s = random.uniform(-0.05, 0.05);
    return observation();
}
SIGMA_IMPL EnvironmentStep<std::array<float, 4>> CartPole::step(std::size_t action) {
    constexpr double gravity = 9.8, pole = 0.1, all = 1.1, half_length = 0.5, seconds = 0.02;  // masses in kg
    auto& [position, speed, angle, turning] = state_;
    const double sine = std::sin(angle), cosine = std::cos(angle);
    const double pushed = ((action == 1 ? 10 : -10) + pole * half_length * turning * turning * sine) / all;
    const double turned = (gravity * sine - cosine * pushed) / (half_length * (4.0 / 3 - pole * cosine * cosine / all));
    const double moved = pushed - pole * half_length * turned * cosine / all;
    position += seconds * speed;
    speed += seconds * moved;
    angle += seconds * turning;
    turning += seconds * turned;
    const bool stands = std::abs(position) <= 2.4 && std::abs(angle) <= 12 * std::numbers::pi / 180;
    return {observation(), 1, !stands, ++steps_ >= longest_};
}

}  // namespace sigma
