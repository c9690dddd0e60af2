// SPDX-License-Identifier: BSL-1.0
// Learns to balance a pole on a cart by proximal policy optimization: a policy and a network that estimates the value
// of a state, in eight environments at once. At the end, the pole stands for at least 475 of 500 steps, on average over
// 100 new episodes.
#include <sigma/acting/cart_pole.hpp>
#include <sigma/acting/ppo.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include <cstdio>

using namespace sigma;

// [networks]
struct Policy : Network<Input(4) + Dense(64, tanh) + Dense(64, tanh) + Dense(2) + SoftmaxCE()> {};
struct Value : Network<Input(4) + Dense(64, tanh) + Dense(64, tanh) + Dense(1) + SquaredDiff()> {};
// [networks]

namespace {

int run() {
    // [ppo]
    Model<Policy> policy(1);
    Model<Value> value(2);
    PPO learner{policy, value, CartPole{}, Adam{.learning_rate = 0.001}, {.seed = 1}};
    double standing = 0;  // of 50 episodes with the most probable actions
    for (int i = 1; i <= 200 && standing < 495; ++i) {
        const PpoUpdate update = learner.update();
        if (i % 5 != 0) continue;
        standing = play_episodes(policy, CartPole{}, {.episodes = 50, .seed = 1001}).mean_return();
        std::printf("%6d steps: the pole stands for %5.1f steps, entropy %.2f\n", static_cast<int>(update.steps),
                    standing, update.entropy);
    }
    const double steps = play_episodes(policy, CartPole{}, {.episodes = 100, .seed = 99}).mean_return();
    // [ppo]
    std::printf("at the end it stands for %.1f of 500 steps\n", steps);
    if (steps >= 475) return 0;
    std::printf("it should stand for at least 475 steps\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
