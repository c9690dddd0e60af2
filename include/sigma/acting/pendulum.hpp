// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A pendulum that is swung up, as an environment with continuous actions: Pendulum. Include it yourself.
#include <sigma/acting/environment.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sigma {

/// A pendulum that must be swung up and balanced by a small torque: Pendulum-v1 of Gymnasium.
///
/// The pendulum is a rod of 1 kg and 1 m. An action is a torque in N m, which is limited to ±2. Formulas: θ'' = 3g/(2l)
/// sin θ + 3/(m l²) torque with g = 10 m/s², in steps of 0.05 s, as Gymnasium computes them; the speed is limited to ±8
/// rad/s. The angle θ is 0 at the top. The reward of a step is -(θ² + 0.1 θ'² + 0.001 torque²), with θ from -π to π.
///
/// An observation has three numbers: cos θ, sin θ and the speed θ' in rad/s. At the start, θ is uniform from -π to π
/// and the speed from -1 to 1.
///
/// @par Example
/// @code
/// // #include <sigma/acting/pendulum.hpp>
/// PhiloxSequence random{Philox(1)};
/// Pendulum pendulum;
/// pendulum.reset(random);
/// const std::array<float, 1> torque{1.5f};
/// double reward = pendulum.step(torque).reward;
/// @endcode
///
/// @see Environment, CartPole, docs/acting.md
class Pendulum {
public:
    static constexpr std::size_t action_size = 1;  ///< The torque.

    /// Constructs the environment.
    /// @param longest  number of steps after which an episode is truncated, at least 1. Default: 200.
    /// @throws ArgumentError  if `longest` is below 1
    explicit Pendulum(std::int64_t longest = 200);
    /// Begins an episode.
    /// @param random  source of the start
    /// @return the first observation
    std::array<float, 3> reset(PhiloxSequence& random);
    /// Turns the pendulum for one step.
    /// @param action  the torque in N m
    /// @return the observation after the step, the reward, and whether the episode has been truncated
    EnvironmentStep<std::array<float, 3>> step(std::span<const float> action);

private:
    std::int64_t longest_, steps_ = 0;
    double angle_ = 0, speed_ = 0;

    std::array<float, 3> observation() const;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/pendulum.ipp>
#endif
