// SPDX-License-Identifier: BSL-1.0
// The training loop without hooks: microseconds of a step through Trainer::run, once for each line on standard input.
// Written so that versions of the library from before there were hooks compile it too: to compare two, build both and
// let them take turns.
#include "support/clocks.hpp"

#include <sigma/sigma.hpp>

#include <iostream>

using namespace sigma;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct Flowers : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset numbers(std::size_t records, std::size_t inputs, std::size_t classes) {
    Numbers x{{records, inputs}, std::vector<float>(records * inputs)}, y{{records}, std::vector<float>(records)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7919 % 997) / 997;
    for (std::size_t i = 0; i < records; ++i) y.values[i] = static_cast<float>(i * 7 % classes);
    return {std::move(x), std::move(y), "numbers"};
}
template <class Trainer>
double microseconds(Trainer& trainer) {
    const double steps = static_cast<double>(trainer.batches_per_epoch());
    return clocks::time([&] { trainer.run(cpu(1), 1); }).processor / steps * 1e6;
}

}  // namespace

int main() {
    Trainer flowers("flowers", Flowers{}, GradientDescent{.learning_rate = 1e-3},
                    minibatches(numbers(20000, 4, 3), 10));
    Trainer digits("digits", Digits{}, Adam{.learning_rate = 1e-5}, minibatches(numbers(4000, 784, 10), 100));
    microseconds(flowers), microseconds(digits);
    for (std::string turn; std::getline(std::cin, turn);) {
        const double small = microseconds(flowers), large = microseconds(digits);
        std::printf("%.5f %.5f\n", small, large);
        std::fflush(stdout);
    }
}
