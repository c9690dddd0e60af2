// SPDX-License-Identifier: BSL-1.0
#include <sigma/acting/cart_pole.hpp>
#include <sigma/acting/environment.hpp>
#include <sigma/acting/pendulum.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>

#include "support/corridor.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace sigma;
using corridor::Corridor;

namespace {

struct Policy : Network<Input(5) + Dense(2) + SoftmaxCE()> {};
struct ThreeActions : Network<Input(5) + Dense(3) + SoftmaxCE()> {};
struct FourNumbers : Network<Input(4) + Dense(2) + SoftmaxCE()> {};

static_assert(Environment<Corridor>);
static_assert(Environment<CartPole>);
static_assert(Environment<Pendulum>);
static_assert(!Environment<int>);

/// Observations that grow with each episode.
struct Growing {
    static constexpr std::size_t actions = 1;
    std::vector<float> seen{};
    std::vector<float> reset(PhiloxSequence&) {
        seen.push_back(0);
        return seen;
    }
    EnvironmentStep<std::vector<float>> step(std::size_t) { return {seen, 0, true, false}; }
};
struct Blind : Growing {
    std::vector<float> reset(PhiloxSequence&) { return {}; }
};

/// A policy that goes to the right with this probability.
Model<Policy> walker(float logit) {
    Model<Policy> policy(1);
    policy.parameter<"1-dense.weights">().fill(0);
    policy.parameter<"1-dense.biases">().fill(0);
    policy.parameter<"1-dense.biases">().data()[1] = logit;
    return policy;
}

}  // namespace

TEST_CASE("a cart moves by the equations of Gymnasium's CartPole-v1") {
    PhiloxSequence random{Philox(5)};
    CartPole cart;
    std::array<float, 4> before = cart.reset(random);
    for (const float each : before) CHECK(std::abs(each) <= 0.05f);
    const double force[] = {-10, 10};
    for (const std::size_t action : {1u, 1u, 0u, 1u, 0u, 0u}) {
        // As in gymnasium/envs/classic_control/cartpole.py, kinematics_integrator = "euler".
        const double masscart = 1.0, masspole = 0.1, length = 0.5, tau = 0.02, gravity = 9.8;
        const double x = before[0], x_dot = before[1], theta = before[2], theta_dot = before[3];
        const double total_mass = masspole + masscart, polemass_length = masspole * length;
        const double temp = (force[action] + polemass_length * std::pow(theta_dot, 2) * std::sin(theta)) / total_mass;
        const double thetaacc = (gravity * std::sin(theta) - std::cos(theta) * temp) /
                                (length * (4.0 / 3.0 - masspole * std::pow(std::cos(theta), 2) / total_mass));
        const double xacc = temp - polemass_length * thetaacc * std::cos(theta) / total_mass;
        const double expected[] = {x + tau * x_dot, x_dot + tau * xacc, theta + tau * theta_dot,
                                   theta_dot + tau * thetaacc};
        const auto now = cart.step(action);
        for (std::size_t i = 0; i < 4; ++i) CHECK(now.observation[i] == Approx(expected[i]).margin(1e-6));
        CHECK(now.reward == 1);
        CHECK_FALSE(now.terminated);
        CHECK_FALSE(now.truncated);
        before = now.observation;
    }
}

TEST_CASE("an episode of a cart ends when the pole leans, or after its longest time") {
    PhiloxSequence random{Philox(5)};
    CartPole cart;
    cart.reset(random);
    int steps = 1;
    float before = 0;
    auto now = cart.step(1);
    for (; !now.terminated && steps < 100; ++steps) before = now.observation[2], now = cart.step(1);
    CHECK(steps >= 8);
    CHECK(steps <= 11);
    CHECK(std::abs(before) <= 0.20944f);  // 12°
    CHECK(std::abs(now.observation[2]) > 0.20943f);

    CartPole brief(3);
    for (int episode = 0; episode < 2; ++episode) {
        brief.reset(random);
        CHECK_FALSE(brief.step(0).truncated);
        CHECK_FALSE(brief.step(1).truncated);
        CHECK(brief.step(0).truncated);
    }
    CHECK(error_text<ArgumentError>([] { CartPole{0}; }) ==
          "CartPole: expected a longest episode of 1 step or more, found 0");
}

TEST_CASE("environments step together, and begin again after an episode") {
    ParallelEnvironments all(Corridor{}, 2);
    CHECK(all.size() == 2);
    CHECK(all.observation_size() == 5);
    const auto field = [](std::span<const float> rows, std::size_t i) {
        return std::ranges::find(rows.subspan(5 * i, 5), 1.f) - rows.subspan(5 * i, 5).begin();
    };
    CHECK(field(all.observations(), 0) == 2);
    CHECK(field(all.observations(), 1) == 2);
    const std::array<std::size_t, 2> apart{1, 0};
    auto outcomes = all.step(apart);
    CHECK_FALSE(outcomes[0].ended());
    CHECK(field(all.observations(), 0) == 3);
    CHECK(field(all.observations(), 1) == 1);
    outcomes = all.step(apart);
    CHECK(outcomes[0].terminated);
    CHECK(outcomes[0].reward == 1);
    CHECK(outcomes[0].episode_return == 1);
    CHECK(outcomes[0].episode_steps == 2);
    CHECK(outcomes[1].terminated);
    CHECK(outcomes[1].episode_return == 0);
    CHECK(field(all.reached(), 0) == 4);
    CHECK(field(all.reached(), 1) == 0);
    CHECK(field(all.observations(), 0) == 2);
    CHECK(field(all.observations(), 1) == 2);
    outcomes = all.step(apart);
    CHECK(outcomes[0].episode_return == 0);  // of the next episode
    CHECK(outcomes[0].episode_steps == 1);
    CHECK(field(all.reached(), 0) == 3);
}

TEST_CASE("the random numbers of an environment depend on the seed and its number") {
    ParallelEnvironments one(CartPole{}, 1, 3), three(CartPole{}, 3, 3), other(CartPole{}, 1, 4);
    const auto first = [](const auto& all) {
        return std::vector<float>(all.observations().begin(), all.observations().begin() + 4);
    };
    CHECK(first(one) == first(three));
    CHECK(first(one) != first(other));
    CHECK(three.observations()[0] != three.observations()[4]);
}

TEST_CASE("environments reject actions and observations that do not fit") {
    ParallelEnvironments all(Corridor{}, 2);
    CHECK(error_text<ArgumentError>([&] { all.step(std::vector<std::size_t>{1}); }) ==
          "step of environments: expected 2 actions, found 1");
    CHECK(error_text<ArgumentError>([&] { all.step(std::vector<std::size_t>{1, 2}); }) ==
          "step of environments: expected an action from 0 to 1, found 2");
    CHECK(error_text<ArgumentError>([] { ParallelEnvironments(Corridor{}, 0); }) ==
          "environments: expected 1 environment or more, found 0");
    CHECK(error_text<ShapeError>([] { ParallelEnvironments(Blind{}, 1); }) ==
          "observation of an environment: expected 1 number or more, found 0");
    ParallelEnvironments growing(Growing{}, 1);
    CHECK(error_text<ShapeError>([&] { growing.step(std::vector<std::size_t>{0}); }) ==
          "observation of an environment: expected 1 numbers, found 2");
}

TEST_CASE("play_episodes plays each episode once, greedily or by the probabilities") {
    const EpisodeResults right = play_episodes(walker(1), Corridor{}, {.episodes = 5});
    CHECK(right.returns == std::vector<double>(5, 1));
    CHECK(right.steps == std::vector<std::int64_t>(5, 2));
    CHECK(right.mean_return() == 1);
    CHECK(play_episodes(walker(-1), Corridor{}, {.episodes = 5}).mean_return() == 0);

    const PlayOptions drawn{.episodes = 400, .seed = 2, .temperature = 1};
    const EpisodeResults even = play_episodes(walker(0), Corridor{}, drawn);
    CHECK(even.mean_return() == Approx(0.5).margin(0.08));
    CHECK(even.returns == play_episodes(walker(0), Corridor{}, drawn).returns);
    // Gambler's ruin: from the middle of four steps, p² / (p² + q²). p = 1 / (1 + e^-1).
    const double odds = std::exp(2.0);
    CHECK(play_episodes(walker(1), Corridor{}, drawn).mean_return() == Approx(odds / (1 + odds)).margin(0.06));
}

TEST_CASE("play_episodes rejects networks that do not fit the environment") {
    CHECK(error_text<ShapeError>([] { play_episodes(Model<ThreeActions>(1), Corridor{}); }) ==
          "network, prediction: expected 1 number for each of 2 actions, found 3");
    CHECK(error_text<ShapeError>([] { play_episodes(Model<FourNumbers>(1), Corridor{}); }) ==
          "network, input: expected the 5 numbers of an observation, found 4");
    CHECK(error_text<ArgumentError>([] { play_episodes(walker(0), Corridor{}, {.episodes = 0}); }) ==
          "environments: expected 1 environment or more, found 0");
    CHECK(error_text<ArgumentError>([] { play_episodes(walker(0), Corridor{}, {.temperature = -1}); }) ==
          "sampling: expected a temperature of at least 0, found -1");
}

TEST_CASE("a pendulum moves by the equations of Gymnasium's Pendulum-v1") {
    PhiloxSequence random{Philox(6)};
    Pendulum pendulum(30);
    std::array<float, 3> before = pendulum.reset(random);
    CHECK(std::abs(before[2]) <= 1);
    for (int i = 1; i <= 30; ++i) {
        const float torque = i < 20 ? 5.0f : -0.7f;
        const auto now = pendulum.step(std::array{torque});
        const double angle = std::atan2(before[1], before[0]), u = std::min(torque, 2.0f);
        CHECK(now.reward == Approx(-(angle * angle + 0.1 * before[2] * before[2] + 0.001 * u * u)).margin(1e-4));
        const double speed = std::clamp(before[2] + (3 * 10 / 2.0 * std::sin(angle) + 3 * u) * 0.05, -8.0, 8.0);
        CHECK(now.observation[2] == Approx(speed).margin(1e-4));
        CHECK(now.observation[0] == Approx(std::cos(angle + 0.05 * speed)).margin(1e-5));
        CHECK(now.observation[1] == Approx(std::sin(angle + 0.05 * speed)).margin(1e-5));
        CHECK_FALSE(now.terminated);
        CHECK(now.truncated == (i == 30));
        before = now.observation;
    }
    CHECK(error_text<ArgumentError>([] { Pendulum(0); }) ==
          "Pendulum: expected a longest episode of 1 step or more, found 0");
}

TEST_CASE("environments check the elements of continuous actions") {
    ParallelEnvironments all(Pendulum{}, 3, 1);
    CHECK(all.observation_size() == 3);
    CHECK(all.step(std::vector<float>{0, 1, -1}).size() == 3);
    CHECK(error_text<ArgumentError>([&] { all.step(std::vector<float>{0, 1}); }) ==
          "step of environments: expected 3 elements of actions, found 2");
    CHECK(error_text<ArgumentError>([&] { all.step(std::vector<float>{0, NAN, 1}); }) ==
          "step of environments: expected a finite element of an action, found nan");
    struct Torque : Network<Input(3) + Dense(2) + SquaredDiff()> {};
    CHECK(error_text<ArgumentError>([] { play_episodes(Model<Torque>(1), Pendulum{}, {.temperature = -1}); }) ==
          "sampling: expected a temperature of at least 0, found -1");
}
