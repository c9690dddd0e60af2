// SPDX-License-Identifier: BSL-1.0
// Milliseconds of a training step by batch size, of the network for digits of the earlier Sigma in C# (2017) with
// Adagrad, and of a small one, on one core. Prints the medians of some rounds as a Markdown table.
//   batches [ROUNDS]     default: 5
#include "support/clocks.hpp"

#include <sigma/sigma.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

struct Flagship : Network<Input(784) + Dropout(0.2) + Dense(1000, relu) + Dropout(0.4) + Dense(800, relu) +
                          Dropout(0.4) + Dense(10, sigmoid) + SoftmaxCE()> {};
struct Small : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

Dataset digits(std::size_t records) {
    Numbers x{{records, 784}, std::vector<float>(records * 784)}, y{{records}, std::vector<float>(records)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7919 % 997) / 997;
    for (std::size_t i = 0; i < records; ++i) y.values[i] = static_cast<float>(i * 7 % 10);
    return {std::move(x), std::move(y), "numbers"};
}

template <class N>
void measure(const char* name, N network, std::size_t steps, int rounds) {
    for (const std::size_t size : {50, 75, 100, 150, 200, 300, 400, 500}) {
        Trainer trainer(name, network, Adagrad{.learning_rate = 0.02}, minibatches(digits(steps * size), size));
        trainer.run(cpu(1), 1);
        std::vector<double> seconds;
        for (int i = 0; i < rounds; ++i)
            seconds.push_back(clocks::time([&] { trainer.run(cpu(1), 1); }).processor / static_cast<double>(steps));
        const double median = clocks::median(seconds);
        std::printf("| %s | %zu | %.3f | %.2f |\n", name, size, 1e3 * median, 1e6 * median / static_cast<double>(size));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 5;
    if (rounds < 1) {
        std::fprintf(stderr, "expected a number of rounds, found '%s'\n", arguments[1]);
        return 2;
    }
    std::printf("| network | batch size | Sigma ms | us a record |\n|---|---|---|---|\n");
    measure("784-1000-800-10", Flagship{}, 5, rounds);
    measure("784-128-64-10", Small{}, 50, rounds);
}
