// SPDX-License-Identifier: BSL-1.0
#include <sigma/acting/replay.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

using namespace sigma;

namespace {

/// Adds step k: observation (k, -k), action k, reward 10 k, next observation (k + 1, -k - 1).
void add(ReplayBuffer& buffer, int k) {
    const auto x = static_cast<float>(k);
    buffer.add(std::vector{x, -x}, static_cast<std::size_t>(k), 10.0 * k, std::vector{x + 1, -x - 1}, k % 2 == 1);
}
std::set<std::size_t> kept(const ReplayBuffer& buffer) {
    PhiloxSequence random{Philox(1)};
    const ReplaySample drawn = buffer.sample(200, random);
    return {drawn.actions.begin(), drawn.actions.end()};
}

}  // namespace

TEST_CASE("a replay buffer keeps the latest steps, each as it was added") {
    ReplayBuffer buffer(3, 2);
    CHECK(buffer.capacity() == 3);
    CHECK(buffer.size() == 0);
    for (int k = 0; k < 2; ++k) add(buffer, k);
    CHECK(buffer.size() == 2);
    CHECK(kept(buffer) == std::set<std::size_t>{0, 1});
    for (int k = 2; k < 4; ++k) add(buffer, k);
    CHECK(buffer.size() == 3);
    CHECK(kept(buffer) == std::set<std::size_t>{1, 2, 3});
    for (int k = 4; k < 8; ++k) add(buffer, k);  // once around, and one more
    CHECK(buffer.size() == 3);
    CHECK(kept(buffer) == std::set<std::size_t>{5, 6, 7});

    PhiloxSequence random{Philox(2)};
    const ReplaySample drawn = buffer.sample(20, random);
    REQUIRE(drawn.actions.size() == 20);
    REQUIRE(drawn.observations.size() == 40);
    for (std::size_t i = 0; i < 20; ++i) {
        const auto k = static_cast<float>(drawn.actions[i]);
        CHECK(drawn.observations[2 * i] == k);
        CHECK(drawn.observations[2 * i + 1] == -k);
        CHECK(drawn.next_observations[2 * i] == k + 1);
        CHECK(drawn.next_observations[2 * i + 1] == -k - 1);
        CHECK(drawn.rewards[i] == 10 * static_cast<double>(k));
        CHECK(drawn.terminated[i] == (drawn.actions[i] % 2 == 1));
    }
}

TEST_CASE("a replay buffer draws uniformly, and the same for a seed") {
    ReplayBuffer buffer(4, 2);
    for (int k = 0; k < 4; ++k) add(buffer, k);
    PhiloxSequence random{Philox(3)}, again{Philox(3)};
    const ReplaySample drawn = buffer.sample(4000, random);
    for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(std::ranges::count(drawn.actions, k) - 1000) < 120);
    CHECK(drawn.actions == buffer.sample(4000, again).actions);
}

TEST_CASE("a replay buffer rejects what it cannot keep or draw") {
    CHECK(error_text<ArgumentError>([] { ReplayBuffer(0, 2); }) ==
          "ReplayBuffer: expected a capacity of 1 or more, found 0");
    CHECK(error_text<ArgumentError>([] { ReplayBuffer(2, 0); }) ==
          "ReplayBuffer: expected observations of 1 number or more, found 0");
    ReplayBuffer buffer(2, 2);
    CHECK(error_text<ShapeError>([&] { buffer.add(std::vector{1.f, 2.f}, 0, 0, std::vector{1.f}, false); }) ==
          "observation for ReplayBuffer: expected 2 numbers, found 1");
    PhiloxSequence random{Philox(1)};
    CHECK(error_text<ArgumentError>([&] { buffer.sample(1, random); }) ==
          "sample of ReplayBuffer: expected a buffer with steps, found an empty buffer");
}
