// SPDX-License-Identifier: BSL-1.0
// Learns to balance a pole on a cart without gradients: CMA-ES draws variants of a policy, and moves it toward those
// with which the pole stands longer. At the end, it stands for at least 475 of 500 steps, on average over 100 new
// episodes.
#include <sigma/acting/cart_pole.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/execution/evolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>

#include <cstdio>

using namespace sigma;

struct Policy : Network<Input(4) + Dense(4, tanh) + Dense(2) + SoftmaxCE()> {};

namespace {

int run() {
    // [evolution]
    Model<Policy> policy(1);
    const auto loss_of = [](const Model<Policy>& now) {
        return -play_episodes(now, CartPole{}, {.episodes = 30, .seed = 1}).mean_return();
    };
    const auto report = [](const Generation& now) {
        std::printf("%3d policies: the best stands for %5.1f steps\n", static_cast<int>(now.evaluations), -now.best);
        return true;
    };
    cma_es(policy, loss_of,
           {.step_size = 0.5, .evaluations = 2000, .target = -500, .seed = 1, .after_generation = report});
    const double steps = play_episodes(policy, CartPole{}, {.episodes = 100, .seed = 2}).mean_return();
    // [evolution]
    std::printf("at the end it stands for %.1f of 500 steps\n", steps);
    if (steps >= 475) return 0;
    std::printf("it should stand for at least 475 steps\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
