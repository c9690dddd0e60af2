// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Trainer_begins_with_a_name
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(const Dataset& data) {
#ifdef TWIN
    Trainer trainer("tiny", Tiny{}, Adam{}, minibatches(data, 10));
#else
    Trainer trainer(Tiny{}, Adam{}, minibatches(data, 10));
#endif
    trainer.run(cpu(), 1);
}
