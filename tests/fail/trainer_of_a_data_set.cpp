// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Trainer_takes_minibatches_not_a_data_set
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(const Dataset& data) {
#ifdef TWIN
    Trainer trainer("tiny", Tiny{}, Adam{}, minibatches(data, 10));
#else
    Trainer trainer("tiny", Tiny{}, Adam{}, data);
#endif
    trainer.run(cpu(), 1);
}
