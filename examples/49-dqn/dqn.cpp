// SPDX-License-Identifier: BSL-1.0
// Learns to balance a pole on a cart by deep Q-learning, from the rewards of single steps: a replay buffer, a target
// network and double Q-learning. At the end, the pole stands for at least 475 of 500 steps, on average over 100 new
// episodes.
#include <sigma/acting/cart_pole.hpp>
#include <sigma/acting/dqn.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include <cstdio>

using namespace sigma;

struct Values : Network<Input(4) + Dense(64, relu) + Dense(64, relu) + Dense(2) + SquaredDiff()> {};

namespace {

int run() {
    // [dqn]
    Model<Values> values(1);
    DQN learner{values, CartPole{}, Adam{.learning_rate = 0.001}, {.seed = 1}};
    double standing = 0;  // of 50 episodes without random actions
    for (int i = 1; i <= 50 && standing < 495; ++i) {
        const DqnReport report = learner.run(2000);
        standing = play_episodes(values, CartPole{}, {.episodes = 50, .seed = 1001}).mean_return();
        std::printf("%6d steps: the pole stands for %5.1f steps, and for %5.1f with %2.0f %% random actions\n",
                    static_cast<int>(report.steps), standing, report.mean_return, 100 * report.epsilon);
    }
    const double steps = play_episodes(values, CartPole{}, {.episodes = 100, .seed = 99}).mean_return();
    // [dqn]
    std::printf("at the end it stands for %.1f of 500 steps\n", steps);
    if (steps >= 475) return 0;
    std::printf("it should stand for at least 475 steps\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
