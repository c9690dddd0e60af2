// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A cart that balances a pole, as an environment: CartPole. Include it yourself.
#include <sigma/acting/environment.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sigma {

/// A cart with a pole that falls unless the cart is pushed in time: CartPole-v1 of Gymnasium.
///
/// Formulas: Barto, Sutton and Anderson 1983, "Neuronlike adaptive elements that can solve difficult learning control
/// problems", and the Euler steps of 0.02 s of Gymnasium. Action 0 pushes the cart to the left with 10 N, and action 1
/// to the right. Each step gives a reward of 1. An episode terminates if the cart is farther than 2.4 m from the
/// middle, or the pole leans by more than 12°.
///
/// An observation has four numbers: position (m), speed (m/s), angle (rad) and angular speed (rad/s). At the start,
/// each is uniform from -0.05 to 0.05.
///
/// @par Example
/// @code
/// // #include <sigma/acting/cart_pole.hpp>
/// PhiloxSequence random{Philox(1)};
/// CartPole cart;
/// cart.reset(random);
/// float angle = cart.step(1).observation[2];
/// @endcode
///
/// @see Environment, docs/acting.md
class CartPole {
public:
    static constexpr std::size_t actions = 2;  ///< Push to the left, push to the right.

    /// Constructs the environment.
    /// @param longest  number of steps after which an episode is truncated, at least 1. Default: 500.
    /// @throws ArgumentError  if `longest` is below 1
    explicit CartPole(std::int64_t longest = 500);
    /// Begins an episode.
    /// @param random  source of the start
    /// @return the first observation
    std::array<float, 4> reset(PhiloxSequence& random);
    /// Pushes the cart for one step.
    /// @param action  0: to the left, 1: to the right
    /// @return the observation after the step, a reward of 1, and whether the episode has ended
    EnvironmentStep<std::array<float, 4>> step(std::size_t action);

private:
    std::int64_t longest_, steps_ = 0;
    std::array<double, 4> state_{};  // position, speed, angle, angular speed

    std::array<float, 4> observation() const;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/cart_pole.ipp>
#endif
