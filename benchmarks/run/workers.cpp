// SPDX-License-Identifier: BSL-1.0
// Ten epochs of 9,000 digits by one thread, by threads that share each step, and by workers that are merged after each
// epoch or more often: seconds, and how many of 1,000 others are classified right. Numbers on standard output.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cstdio>

using namespace sigma;

struct Small : Network<Input(28, 28) + Dense(32, relu) + Dense(10) + SoftmaxCE()> {};
struct Large : Network<Input(28, 28) + 2 * Dense(256, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

const auto& digits() {
    static const auto parts = data::mnist();
    return parts;
}

template <class N, class Where>
void train(const char* network, const char* what, const Where& where) {
    Trainer trainer("digits", N{}, Adam{.learning_rate = 0.002}, minibatches(digits().training, 50));
    trainer.run(where, 1);
    const auto began = std::chrono::steady_clock::now();
    trainer.run(where, 9);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / 9;
    std::printf("%-6s %-34s %6.1f ms an epoch   %5.1f %%\n", network, what, 1e3 * seconds,
                100 * trainer.evaluate(digits().testing).accuracy);
}
template <class N>
void train_all(const char* network) {
    train<N>(network, "one thread", cpu(1));
    train<N>(network, "cpu(): threads share each step", cpu());
    const int cores = cpu().threads;
    train<N>(network, "a worker a core, merged each epoch", workers(cores));
    train<N>(network, "a worker a core, every 10 steps", workers(cores, {.merge_every = 10}));
    train<N>(network, "four workers, merged each epoch", workers(4));
    train<N>(network, "four workers, all data each", workers(4, {.data = WorkerData::whole}));
}

}  // namespace

int main() {
    return run_main([] {
        train_all<Small>("small");
        train_all<Large>("large");
        return 0;
    });
}
