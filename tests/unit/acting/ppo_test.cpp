// SPDX-License-Identifier: BSL-1.0
#include <sigma/acting/ppo.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include "support/corridor.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

using namespace sigma;
using corridor::Corridor;

namespace {

struct Policy : Network<Input(5) + Dense(2) + SoftmaxCE()> {};
struct Value : Network<Input(5) + Dense(1) + SquaredDiff()> {};

/// The first element of an action should be half of the observation, and the second its negative.
struct Follow {
    static constexpr std::size_t action_size = 2;
    PhiloxSequence random{Philox(0)};
    float seen = 0;
    int steps = 0;

    std::array<float, 1> reset(PhiloxSequence& numbers) {
        random = {Philox(numbers.bits())};
        steps = 0;
        return {seen = random.uniform(-1, 1)};
    }
    EnvironmentStep<std::array<float, 1>> step(std::span<const float> action) {
        const double a = action[0] - seen / 2, b = action[1] + seen;
        seen = random.uniform(-1, 1);
        return {{seen}, -a * a - b * b, false, ++steps == 10};
    }
};
struct Aim : Network<Input(1) + Dense(4) + SquaredDiff()> {};
struct Worth : Network<Input(1) + Dense(8, tanh) + Dense(1) + SquaredDiff()> {};

const PpoOptions quick{
    .environments = 4, .steps = 16, .epochs = 4, .minibatch = 16, .discount = 0.9, .entropy_weight = 0, .seed = 3};

Model<Policy> learned(std::uint64_t seed, PpoUpdate* last = nullptr) {
    Model<Policy> policy(1);
    Model<Value> value(2);
    PpoOptions options = quick;
    options.seed = seed;
    PPO learner(policy, value, Corridor{}, Adam{.learning_rate = 0.05}, options);
    for (int i = 0; i < 15; ++i) {
        const PpoUpdate update = learner.update();
        if (last != nullptr) *last = update;
    }
    return policy;
}

}  // namespace

TEST_CASE("generalized advantages are those of a table computed by hand") {
    // γ = λ = 1/2, so that γλ = 1/4.
    const std::vector<ValuedStep> steps{
        {.reward = 1, .value = 0.5, .next_value = 1},   // δ = 1 + 1/2 - 1/2 = 1
        {.reward = 0, .value = 1, .next_value = 2},     // δ = 0 + 1 - 1 = 0
        {.reward = 4, .value = 2, .ended = true},       // δ = 4 - 2 = 2, terminated
        {.reward = 1, .next_value = 3, .ended = true},  // δ = 1 + 3/2 = 5/2, cut off
        {.reward = 2, .value = 1, .next_value = 4},     // δ = 2 + 2 - 1 = 3, the last step
    };
    CHECK(generalized_advantages(steps, 0.5, 0.5) == std::vector<double>{1.125, 0.5, 2, 2.5, 3});
    CHECK(generalized_advantages(steps, 0.5, 0) == std::vector<double>{1, 0, 2, 2.5, 3});
    // λ = 1: the discounted rewards minus the value. 1 + 0/2 + 4/4 - 1/2 and 0 + 4/2 - 1.
    CHECK(generalized_advantages(steps, 0.5, 1) == std::vector<double>{1.5, 1, 2, 2.5, 3});
    CHECK(generalized_advantages({}, 0.5, 1).empty());
    CHECK(error_text<ArgumentError>([&] { generalized_advantages(steps, 1.5, 1); }) ==
          "generalized_advantages with discount: expected a number from 0 to 1, found 1.5");
    CHECK(error_text<ArgumentError>([&] { generalized_advantages(steps, 1, -1); }) ==
          "generalized_advantages with lambda: expected a number from 0 to 1, found -1");
}

TEST_CASE("the clipped objective is that of Schulman et al. 2017, figure 1, and so is its gradient") {
    struct Case {
        double ratio, advantage, loss;
        bool clipped;
    };
    for (const Case& c :
         {Case{1, 2, -2, false}, Case{1.1, 2, -2.2, false}, Case{1.5, 2, -2.4, true}, Case{0.5, 2, -1, false},
          Case{1.5, -2, 3, false}, Case{0.5, -2, 1.6, true}, Case{0.9, -2, 1.8, false}}) {
        const double old = 0.25;
        const PpoOptions options{.clip = 0.2, .entropy_weight = 0.3};
        std::array<double, 3> p{0.2, c.ratio * old, 0.8 - c.ratio * old}, gradient{}, ignored{};
        const auto found = detail::clipped_objective(p, 1, old, c.advantage, options, gradient);
        CAPTURE(c.ratio, c.advantage);
        CHECK(found.loss == Approx(c.loss));
        CHECK(found.clipped == c.clipped);
        CHECK(found.ratio == Approx(c.ratio));
        CHECK(found.entropy == Approx(-p[0] * std::log(p[0]) - p[1] * std::log(p[1]) - p[2] * std::log(p[2])));
        for (std::size_t i = 0; i < 3; ++i) {
            const auto at = [&](double change) {
                auto near = p;
                near[i] += change;
                const auto there = detail::clipped_objective(near, 1, old, c.advantage, options, ignored);
                return there.loss - options.entropy_weight * there.entropy;
            };
            CHECK(gradient[i] == Approx((at(1e-6) - at(-1e-6)) / 2e-6).epsilon(1e-6).margin(1e-8));
        }
    }
}

TEST_CASE("the objective of continuous actions has the density and the entropy of normal distributions") {
    const PpoOptions options{.clip = 0.2, .entropy_weight = 0.3};
    const std::array<float, 2> action{0.5f, -1.25f};
    const std::array<double, 4> p{0.25, -1, -0.5, 0.75};
    double logarithm = 0, entropy = 0;
    for (std::size_t j = 0; j < 2; ++j) {
        const double s = std::exp(p[2 + j]), z = (action[j] - p[j]) / s;
        logarithm += std::log(std::exp(-z * z / 2) / (s * std::sqrt(2 * 3.14159265358979323846)));
        entropy += std::log(s * std::sqrt(2 * 3.14159265358979323846 * std::exp(1.0)));
    }
    std::array<double, 4> gradient{}, ignored{};
    for (const double ratio : {0.5, 0.9, 1.1, 1.5})
        for (const double advantage : {-2.0, 2.0}) {
            const double old = logarithm - std::log(ratio);
            const auto found = detail::normal_objective(p, action, old, advantage, options, gradient);
            CAPTURE(ratio, advantage);
            CHECK(found.ratio == Approx(ratio));
            CHECK(found.entropy == Approx(entropy));
            CHECK(found.loss == Approx(-std::min(ratio * advantage, std::clamp(ratio, 0.8, 1.2) * advantage)));
            for (std::size_t i = 0; i < 4; ++i) {
                const auto at = [&](double change) {
                    auto near = p;
                    near[i] += change;
                    const auto there = detail::normal_objective(near, action, old, advantage, options, ignored);
                    return there.loss - options.entropy_weight * there.entropy;
                };
                CHECK(gradient[i] == Approx((at(1e-6) - at(-1e-6)) / 2e-6).epsilon(1e-6).margin(1e-8));
            }
        }
    // Beyond the limits of the deviation, only the way back has a gradient: here a larger and a smaller deviation.
    const std::array<double, 4> far{0, 0, -6, 3};
    for (const double advantage : {1.0, -1.0}) {
        const double old = detail::normal_objective(far, action, 0, 0, options, ignored).ratio;
        const auto found = detail::normal_objective(far, action, std::log(old), advantage, options, gradient);
        CAPTURE(advantage, found.ratio);
        CHECK(gradient[2] <= 0);
        CHECK(gradient[3] >= 0);
        CHECK(gradient[2] + gradient[3] != 0);
        CHECK(std::isfinite(gradient[0]));
    }
    CHECK(detail::deviation_of(-6) == Approx(std::exp(-5)));
    CHECK(detail::deviation_of(3) == Approx(std::exp(2)));
}

TEST_CASE("PPO learns continuous actions") {
    Model<Aim> policy(1);
    Model<Worth> value(2);
    const auto played = [&](double temperature) {
        return play_episodes(policy, Follow{}, {.episodes = 50, .seed = 9, .temperature = temperature}).mean_return();
    };
    const double before = played(0), drawn = played(1);
    PPO learner(policy, value, Follow{}, Adam{.learning_rate = 0.01},
                {.environments = 8, .steps = 32, .minibatch = 64, .discount = 0, .entropy_weight = 0, .seed = 4});
    PpoUpdate first = learner.update(), last;
    for (int i = 0; i < 90; ++i) {
        if (i == 60) learner.policy_optimizer().learning_rate = 0.001;
        last = learner.update();
    }
    CHECK(before < -1);
    CHECK(drawn < before - 5);  // two deviations of 1 cost about 2 in each of 10 steps
    CHECK(played(0) > -0.1);
    CHECK(last.mean_return > first.mean_return / 10);
    CHECK(last.entropy < first.entropy - 2);
    const auto chosen = policy.predict(Array<float>{{0.8f}});
    CHECK(chosen(0, 0) == Approx(0.4).margin(0.1));
    CHECK(chosen(0, 1) == Approx(-0.8).margin(0.1));
    CHECK(error_text<ShapeError>([&] { PPO(value, value, Follow{}, Adam{}); }) ==
          "policy network, prediction: expected 4 numbers: means, then logarithms of deviations, found 1");
}

TEST_CASE("returns of PPO continue after a step that was cut off, and end with one that terminated") {
    PpoOptions options{.environments = 1, .steps = 4, .epochs = 1, .minibatch = 4, .discount = 0.5, .lambda = 0};
    detail::PpoCore core(options, 1, 2);
    const auto step = [&](float seen, double value, StepOutcome outcome, double cut) {
        core.choose(std::vector{seen}, std::vector{1.0, 0.0}, std::vector{value});
        core.record(std::vector{outcome}, [&] { return std::vector{cut}; });
    };
    step(0, 7, {.reward = 1}, 99);
    step(1, 3, {.reward = 1, .truncated = true, .episode_return = 2}, 8);
    step(2, 5, {.reward = 1, .terminated = true, .truncated = true, .episode_return = 4}, 99);
    step(3, 5, {.reward = 1}, 99);
    core.finish(std::vector{20.0});
    REQUIRE(core.minibatches() == 1);
    const auto& all = core.minibatch(0);
    REQUIRE(all.count == 4);
    const double expected[] = {1 + 3 / 2.0, 1 + 8 / 2.0, 1, 1 + 20 / 2.0};
    for (std::size_t k = 0; k < 4; ++k)
        CHECK(all.returns[k] == Approx(expected[static_cast<std::size_t>(all.observations[k])]));

    // Advantages are normalized: their sum of gradients with equal probabilities is 0.
    const auto gradient = core.gradient(std::vector{1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0});
    CHECK(gradient[0] + gradient[2] + gradient[4] + gradient[6] == Approx(0.01).margin(1e-9));  // of the entropy
    const PpoUpdate report = core.report();
    CHECK(report.episodes == 2);
    CHECK(report.mean_return == 3);
    CHECK(report.steps == 4);
    CHECK(report.divergence == 0);
}

TEST_CASE("minibatches of PPO cover all steps in each pass, in another order") {
    PpoOptions options{.environments = 1, .steps = 5, .epochs = 2, .minibatch = 2};
    detail::PpoCore core(options, 1, 2);
    for (int i = 0; i < 5; ++i) {
        core.choose(std::vector{static_cast<float>(i)}, std::vector{1.0, 0.0}, std::vector{0.0});
        core.record(std::vector<StepOutcome>(1), nullptr);
    }
    core.finish(std::vector{0.0});
    REQUIRE(core.minibatches() == 6);
    std::vector<std::vector<float>> passes(2);
    for (std::size_t i = 0; i < 6; ++i) {
        const auto& some = core.minibatch(i);
        CHECK(some.count == (i % 3 == 2 ? 1 : 2));
        passes[i / 3].insert(passes[i / 3].end(), some.observations.begin(), some.observations.end());
    }
    CHECK(passes[0] != passes[1]);
    for (auto& pass : passes) {
        std::ranges::sort(pass);
        CHECK(pass == std::vector<float>{0, 1, 2, 3, 4});
    }
}

TEST_CASE("PPO learns the way to the reward, bit for bit the same with a seed") {
    PpoUpdate last;
    const Model<Policy> policy = learned(3, &last);
    CHECK(play_episodes(policy, Corridor{}, {.episodes = 20, .temperature = 1}).mean_return() >= 0.9);
    CHECK(last.mean_return > 0.8);
    CHECK(last.steps == 15 * 64);
    CHECK(last.episodes > 20);
    CHECK(last.entropy < std::log(2));
    CHECK(last.value_loss < 0.1);
    CHECK(policy == learned(3));
    CHECK_FALSE(policy == learned(4));
}

TEST_CASE("PPO trains run-time networks, and networks in double") {
    Model<DynamicNetwork> policy(network(Input(5) + Dense(2) + SoftmaxCE()), 1);
    Model<Value, double> value(2);
    PPO learner(policy, value, Corridor{}, Adam{.learning_rate = 0.05}, quick);
    for (int i = 0; i < 15; ++i) learner.update();
    CHECK(play_episodes(policy, Corridor{}, {.episodes = 5}).mean_return() == 1);
    CHECK(learner.policy_optimizer().learning_rate == 0.05);
    CHECK(value.predict(Array<double>{{0, 0, 0, 1, 0}})(0, 0) == Approx(1).margin(0.3));
}

TEST_CASE("PPO rejects options and networks that do not fit") {
    Model<Policy> policy(1);
    Model<Value> value(2);
    const auto refused = [&](PpoOptions options) {
        return error_text<ArgumentError>([&] { PPO(policy, value, Corridor{}, Adam{}, options); });
    };
    CHECK(refused({.environments = 0}) == "environments: expected 1 environment or more, found 0");
    CHECK(refused({.steps = 0}) == "PPO with steps: expected 1 or more, found 0");
    CHECK(refused({.epochs = 0}) == "PPO with epochs: expected 1 or more, found 0");
    CHECK(refused({.minibatch = 0}) == "PPO with minibatch: expected 1 or more, found 0");
    CHECK(refused({.discount = 2}) == "PPO with discount: expected a number from 0 to 1, found 2");
    CHECK(refused({.lambda = -1}) == "PPO with lambda: expected a number from 0 to 1, found -1");
    CHECK(refused({.clip = 0}) == "PPO with clip: expected a number above 0, found 0");
    CHECK(refused({.entropy_weight = -1}) ==
          "PPO with entropy_weight: expected a finite number of 0 or more, found -1");
    CHECK(error_text<ShapeError>([&] { PPO(value, value, Corridor{}, Adam{}); }) ==
          "policy network, prediction: expected 1 number for each of 2 actions, found 1");
    CHECK(error_text<ShapeError>([&] { PPO(policy, policy, Corridor{}, Adam{}); }) ==
          "value network, prediction: expected 1 number, found 2");
}
