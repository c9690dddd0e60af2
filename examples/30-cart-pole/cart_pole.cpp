// SPDX-License-Identifier: BSL-1.0
// Learns to balance a pole on a cart (Barto, Sutton and Anderson 1983) from the length of episodes alone: a policy
// gradient (REINFORCE, Williams 1992) whose baseline is a second network that estimates the value of a state. At the
// end, the pole stands for at least 195 of 200 steps, on average over 100 new episodes.
#include <sigma/core/run_main.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

using namespace sigma;

struct Policy : Network<Input(4) + Dense(32, tanh) + Dense(2) + SoftmaxCE()> {};  // push to the left, to the right
struct Critic : Network<Input(4) + Dense(32, tanh) + Dense(1) + SquaredDiff()> {};

namespace {

constexpr std::size_t longest = 200;

/// A cart with a pole. A force of 10 N pushes the cart at each step.
struct CartPole {
    std::array<double, 4> state;  // position (m), speed (m/s), angle (rad), angular speed (rad/s)

    explicit CartPole(PhiloxSequence& random) {
        for (double& s : state) s = 0.1 * random.uniform<double>() - 0.05;
    }
    void push(bool right) {
        constexpr double gravity = 9.8, pole = 0.1, all = 1.1, half_length = 0.5, seconds = 0.02;
        auto& [place, speed, angle, turning] = state;
        const double sine = std::sin(angle), cosine = std::cos(angle);
        const double pushed = ((right ? 10 : -10) + pole * half_length * turning * turning * sine) / all;
        const double turned =
            (gravity * sine - cosine * pushed) / (half_length * (4.0 / 3 - pole * cosine * cosine / all));
        const double moved = pushed - pole * half_length * turned * cosine / all;
        place += seconds * speed;
        speed += seconds * moved;
        angle += seconds * turning;
        turning += seconds * turned;
    }
    bool stands() const { return std::abs(state[0]) <= 2.4 && std::abs(state[2]) <= 12 * 3.14159265358979 / 180; }
};

/// The states and actions of some episodes, with a row for each step.
struct Experience {
    std::vector<float> states, probabilities, worths;  // (n, 4), (n, 2), (n, 1)
    std::vector<std::size_t> actions;
    double steps = 0;  // of an episode, on average
};

/// Plays episodes in parallel, so that one prediction of the policy covers all of them.
Experience play(const Model<Policy>& policy, std::size_t episodes, double temperature, PhiloxSequence& random) {
    Experience all;
    std::vector<CartPole> carts;
    for (std::size_t e = 0; e < episodes; ++e) carts.emplace_back(random);
    std::vector<std::vector<std::size_t>> rows(episodes);
    for (std::size_t t = 0; t < longest; ++t) {
        std::vector<std::size_t> standing;
        std::vector<float> seen;
        for (std::size_t e = 0; e < episodes; ++e) {
            if (!carts[e].stands()) continue;
            standing.push_back(e);
            seen.insert(seen.end(), carts[e].state.begin(), carts[e].state.end());
        }
        if (standing.empty()) break;
        const auto p = policy.predict(ArrayView(seen, {standing.size(), 4}));
        all.states.insert(all.states.end(), seen.begin(), seen.end());
        all.probabilities.insert(all.probabilities.end(), p.begin(), p.end());
        for (std::size_t i = 0; i < standing.size(); ++i) {
            const std::size_t action = sample(std::span(p.data() + 2 * i, 2), random, {.temperature = temperature});
            rows[standing[i]].push_back(all.actions.size());
            all.actions.push_back(action);
            carts[standing[i]].push(action == 1);
        }
    }
    // The value of a step is 0.01 + 0.99 · the value of the next step.
    all.worths.resize(all.actions.size());
    for (const auto& episode : rows) {
        double worth = 0;
        for (std::size_t i = episode.size(); i-- > 0;)
            all.worths[episode[i]] = static_cast<float>(worth = 0.01 + 0.99 * worth);
        all.steps += static_cast<double>(episode.size()) / static_cast<double>(episodes);
    }
    return all;
}

int run() {
    PhiloxSequence random{Philox(1)};
    Model<Policy> policy(1);
    Model<Critic> critic(2);
    BatchTrainer actor{policy, Adam{.learning_rate = 0.01}};
    BatchTrainer judge{critic, Adam{.learning_rate = 0.01}};
    for (int i = 1; i <= 100; ++i) {
        const Experience seen = play(policy, 16, 1, random);
        // [loop]
        const std::size_t n = seen.actions.size();
        const ArrayView states(seen.states, {n, 4}), worths(seen.worths, {n, 1});
        const auto expected = critic.predict(states);

        // The gradient of the mean of -advantage · log p over all steps, with respect to p.
        auto upstream = Array<float>::from_shape({n, 2});
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t done = 2 * k + seen.actions[k];
            const float advantage = 10 * (worths(k, 0) - expected(k, 0));
            upstream.data()[done] = -advantage / (static_cast<float>(n) * seen.probabilities[done]);
        }
        actor.backward(states, upstream);
        actor.apply();
        for (int k = 0; k < 5; ++k) judge.train_on_batch(states, worths);
        // [loop]
        if (i % 20 == 0) std::printf("after %3d episodes the pole stands for %5.1f steps\n", 16 * i, seen.steps);
    }
    const double steps = play(policy, 100, 0, random).steps;  // temperature 0: the most probable action
    std::printf("at the end it stands for %.1f of %zu steps\n", steps, longest);
    if (steps >= 195) return 0;
    std::printf("it should stand for at least 195 steps\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
