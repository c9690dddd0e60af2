// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Trainer_ends_with_minibatches
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(const Dataset& data) {
#ifdef TWIN
    Trainer trainer("tiny", Tiny{}, Adam{}, minibatches(data, 10));
#else
    Trainer trainer("tiny", Tiny{}, Adam{});
#endif
    trainer.run(cpu(), 1);
    (void)data;
}
