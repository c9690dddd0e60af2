// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Xor : Network<Input(2) + Dense(8, tanh) + Dense(2) + SoftmaxCE()> {};

int main() {
    const Dataset data({{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, {{4}, {0, 1, 1, 0}}, "xor");
    Trainer trainer("xor", Xor{}, Adam{.learning_rate = 0.05}, minibatches(data, 4));
    trainer.run(cpu(), 200);
    std::printf("Sigma %s: loss %g\n", version(), trainer.loss());
    return trainer.loss() < 0.05 ? 0 : 1;
}
