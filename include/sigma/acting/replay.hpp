// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Memory of steps from which a model learns again and again: ReplayBuffer. Include it yourself.
#include <sigma/core/philox.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sigma {

/// Steps that a ReplayBuffer has drawn. Observations stand one after the other.
///
/// @see ReplayBuffer
struct ReplaySample {
    std::vector<float> observations{};       ///< Observations before the steps.
    std::vector<std::size_t> actions{};      ///< Actions.
    std::vector<double> rewards{};           ///< Rewards.
    std::vector<float> next_observations{};  ///< Observations after the steps.
    std::vector<bool> terminated{};          ///< True if the episode ended and no reward would follow.
};

/// A memory of the latest steps, for drawing some of them at random (Lin 1992, Mnih et al. 2015).
///
/// If the buffer is full, a new step replaces the oldest one.
///
/// @par Example
/// @code
/// // #include <sigma/acting/replay.hpp>
/// ReplayBuffer buffer(1000, 2);
/// buffer.add(std::vector<float>{0, 1}, 0, 1.0, std::vector<float>{0, 2}, false);
/// PhiloxSequence random{Philox(1)};
/// const ReplaySample some = buffer.sample(32, random);
/// @endcode
///
/// @see DQN, docs/acting.md
class ReplayBuffer {
public:
    /// Constructs an empty buffer.
    /// @param capacity          most steps that it keeps, at least 1
    /// @param observation_size  number of elements of an observation, at least 1
    /// @throws ArgumentError  if a number is 0
    ReplayBuffer(std::size_t capacity, std::size_t observation_size);
    /// Adds a step.
    /// @param observation       observation before the step
    /// @param action            the action
    /// @param reward            the reward
    /// @param next_observation  observation after the step, not that of the next episode
    /// @param terminated        true if the episode ended and no reward would follow; false if it was only cut off
    /// @throws ShapeError  if an observation has another size
    void add(std::span<const float> observation, std::size_t action, double reward,
             std::span<const float> next_observation, bool terminated);
    /// Draws steps uniformly, with repetition.
    /// @param count   number of steps
    /// @param random  source of random numbers
    /// @return the steps
    /// @throws ArgumentError  if the buffer is empty
    ReplaySample sample(std::size_t count, PhiloxSequence& random) const;
    /// Returns the number of steps in the buffer.
    std::size_t size() const { return kept_.actions.size(); }
    /// Returns the most steps that the buffer keeps.
    std::size_t capacity() const { return capacity_; }

private:
    std::size_t capacity_, width_, oldest_ = 0;
    ReplaySample kept_{};
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/replay.ipp>
#endif
