// SPDX-License-Identifier: BSL-1.0
// Learns to swing up a pendulum and to balance it, by proximal policy optimization with continuous actions: the policy
// predicts the mean and the deviation of a torque. At the end, the mean return of 100 new episodes is at least -250. A
// pendulum without a torque has about -1200.
#include <sigma/acting/pendulum.hpp>
#include <sigma/acting/ppo.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>

#include <cstdio>

using namespace sigma;

// [networks]
struct Policy : Network<Input(3) + 2 * Dense(64, tanh) + Dense(2) + SquaredDiff()> {};  // mean and log deviation
struct Value : Network<Input(3) + 2 * Dense(64, tanh) + Dense(1) + SquaredDiff()> {};
// [networks]

namespace {

int run() {
    // [ppo]
    Model<Policy> policy(1);
    Model<Value> value(2);
    PPO learner{policy,
                value,
                Pendulum{},
                Adam{.learning_rate = 0.001},
                {.environments = 16,
                 .steps = 64,
                 .epochs = 10,
                 .minibatch = 128,
                 .discount = 0.9,
                 .entropy_weight = 0,
                 .seed = 1}};
    double mean_return = -1e9;  // of 50 episodes with the mean torque
    for (int i = 1; i <= 200 && mean_return < -180; ++i) {
        const PpoUpdate update = learner.update();
        if (i % 10 != 0) continue;
        mean_return = play_episodes(policy, Pendulum{}, {.episodes = 50, .seed = 1001}).mean_return();
        std::printf("%6d steps: mean return %7.1f, entropy %.2f\n", static_cast<int>(update.steps), mean_return,
                    update.entropy);
    }
    const double last = play_episodes(policy, Pendulum{}, {.episodes = 100, .seed = 99}).mean_return();
    // [ppo]
    std::printf("at the end the mean return is %.1f\n", last);
    if (last >= -250) return 0;
    std::printf("it should be at least -250\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
