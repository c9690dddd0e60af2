// SPDX-License-Identifier: BSL-1.0
#include <sigma/machines.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Small : Network<Input(2) + Dense(3, tanh) + Dense(2) + SoftmaxCE()> {};

int main() {
    const Dataset data({{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, {{4}, {0, 1, 1, 0}}, "xor");
    const MachineSet all = machines();
    Trainer trainer("small", Small{}, Adam{}, minibatches(data, 2));
    trainer.run(all, 2);
    std::printf("rank %d of %d: %llu steps\n", all.rank(), all.count(),
                static_cast<unsigned long long>(trainer.iteration()));
    return trainer.iteration() == 4 ? 0 : 1;
}
