// SPDX-License-Identifier: BSL-1.0
#include <sigma/acting/dqn.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include "support/corridor.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace sigma;
using corridor::Corridor;

namespace {

struct Values : Network<Input(5) + Dense(2) + SquaredDiff()> {};
struct OneValue : Network<Input(5) + Dense(1) + SquaredDiff()> {};

const DqnOptions quick{.environments = 2,
                       .replay = 500,
                       .warmup = 50,
                       .steps_per_update = 2,
                       .minibatch = 16,
                       .target_every = 20,
                       .discount = 0.9,
                       .epsilon_steps = 500,
                       .seed = 3};

Model<Values> learned(DqnOptions options) {
    Model<Values> values(1);
    DQN learner(values, Corridor{}, Adam{.learning_rate = 0.02}, options);
    learner.run(1500);
    return values;
}

}  // namespace

TEST_CASE("targets of DQN are those of the papers") {
    // Mnih et al. 2015: r + γ max q'. Van Hasselt et al. 2016: r + γ q'(argmax q).
    DqnOptions options{.environments = 1, .warmup = 0, .steps_per_update = 1, .minibatch = 1, .discount = 0.5};
    options.first_epsilon = options.last_epsilon = 0;
    for (const bool terminated : {false, true}) {
        detail::DqnCore core(options, 1, 2);
        CHECK(core.choose(std::vector{1.f}, std::vector{1.0, 2.0})[0] == 1);  // the greedy action
        core.record(std::vector<StepOutcome>{{.reward = 3, .terminated = terminated, .truncated = !terminated}},
                    std::vector{2.f});
        REQUIRE(core.is_due());
        CHECK_FALSE(core.is_due());
        CHECK(core.draw().next_observations == std::vector{2.f});
        const std::vector<double> q{1, 2}, ours{7, 5}, theirs{10, 20};
        const auto once = core.targets(q, theirs, theirs);
        CHECK(std::vector(once.begin(), once.end()) == std::vector{1, terminated ? 3 : 3 + 0.5 * 20});
        const auto twice = core.targets(q, ours, theirs);
        CHECK(std::vector(twice.begin(), twice.end()) == std::vector{1, terminated ? 3 : 3 + 0.5 * 10});
    }
}

TEST_CASE("the share of random actions falls linearly, and then stays") {
    const DqnOptions options{.environments = 1, .first_epsilon = 1, .last_epsilon = 0.2, .epsilon_steps = 4};
    detail::DqnCore core(options, 1, 2);
    const double expected[] = {1, 0.8, 0.6, 0.4, 0.2, 0.2};
    for (const double epsilon : expected) {
        CHECK(core.epsilon() == Approx(epsilon));
        core.choose(std::vector{1.f}, std::vector{1.0, 2.0});
        core.record(std::vector<StepOutcome>(1), std::vector{1.f});
    }
    int random = 0;
    for (int i = 0; i < 1000; ++i) random += core.choose(std::vector{1.f}, std::vector{1.0, 2.0})[0] == 0 ? 1 : 0;
    CHECK(std::abs(random - 100) < 40);  // half of the random actions
}

TEST_CASE("DQN counts steps, updates and episodes") {
    Model<Values> values(1);
    const Model<Values> before = values;
    DQN learner(values, Corridor{}, Adam{}, quick);
    DqnReport report = learner.run(50);
    CHECK(report.steps == 50);
    CHECK(report.updates == 0);
    CHECK(report.episodes > 2);
    CHECK(report.mean_return > 0.1);
    CHECK(report.mean_return < 0.9);
    CHECK(values == before);
    report = learner.run(101);  // begins with an even number, so 102
    CHECK(report.steps == 152);
    CHECK(report.updates == 51);
    CHECK(report.loss > 0);
    CHECK_FALSE(values == before);
}

TEST_CASE("DQN learns the way to the reward, bit for bit the same with a seed") {
    const Model<Values> values = learned(quick);
    CHECK(play_episodes(values, Corridor{}, {.episodes = 3}).returns == std::vector<double>(3, 1));
    // The values of the optimal policy: the reward, discounted by the distance.
    const auto q = values.predict(Array<float>{{0, 0, 0, 1, 0}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 0}});
    CHECK(q(0, 1) == Approx(1).margin(0.05));
    CHECK(q(1, 1) == Approx(0.9).margin(0.1));
    CHECK(q(2, 0) == Approx(0).margin(0.1));
    CHECK(values == learned(quick));
    DqnOptions other = quick;
    other.seed = 4;
    CHECK_FALSE(values == learned(other));
    DqnOptions plain = quick;
    plain.double_q = false;
    CHECK_FALSE(values == learned(plain));
}

TEST_CASE("DQN trains run-time networks, and networks in double") {
    Model<DynamicNetwork> values(network(Input(5) + Dense(2) + SquaredDiff()), 1);
    DQN learner(values, Corridor{}, Adam{.learning_rate = 0.02}, quick);
    learner.run(1500);
    CHECK(play_episodes(values, Corridor{}, {.episodes = 1}).mean_return() == 1);
    Model<Values, double> exact(1);
    DQN other(exact, Corridor{}, Adam{.learning_rate = 0.02}, quick);
    other.optimizer().learning_rate = 0.03;
    other.run(1500);
    CHECK(play_episodes(exact, Corridor{}, {.episodes = 1}).mean_return() == 1);
}

TEST_CASE("DQN rejects options and networks that do not fit") {
    Model<Values> values(1);
    const auto refused = [&](DqnOptions options) {
        return error_text<ArgumentError>([&] { DQN(values, Corridor{}, Adam{}, options); });
    };
    CHECK(refused({.environments = 0}) == "environments: expected 1 environment or more, found 0");
    CHECK(refused({.replay = 0}) == "DQN with replay: expected 1 or more, found 0");
    CHECK(refused({.steps_per_update = 0}) == "DQN with steps_per_update: expected 1 or more, found 0");
    CHECK(refused({.minibatch = 0}) == "DQN with minibatch: expected 1 or more, found 0");
    CHECK(refused({.target_every = 0}) == "DQN with target_every: expected 1 or more, found 0");
    CHECK(refused({.discount = 1.5}) == "DQN with discount: expected a number from 0 to 1, found 1.5");
    CHECK(refused({.first_epsilon = 2}) == "DQN with first_epsilon: expected a number from 0 to 1, found 2");
    CHECK(refused({.last_epsilon = -1}) == "DQN with last_epsilon: expected a number from 0 to 1, found -1");
    CHECK(refused({.epsilon_steps = 0}) == "DQN with epsilon_steps: expected 1 or more, found 0");
    Model<OneValue> one(1);
    CHECK(error_text<ShapeError>([&] { DQN(one, Corridor{}, Adam{}); }) ==
          "Q network, prediction: expected 1 number for each of 2 actions, found 1");
}
