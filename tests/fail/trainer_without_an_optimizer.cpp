// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Trainer_takes_an_optimizer_between_network_and_minibatches
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(const Dataset& data) {
#ifdef TWIN
    Trainer trainer("tiny", Tiny{}, Adam{}, minibatches(data, 10));
#else
    Trainer trainer("tiny", Tiny{}, minibatches(data, 10));
#endif
    trainer.run(cpu(), 1);
}
