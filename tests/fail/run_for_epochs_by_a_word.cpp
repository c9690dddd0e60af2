// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_training_is_begun_by_run<.*use_run_cpu_and_epochs
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.run(cpu(2), 3);
#else
    trainer.run(cpu(2), epoch, 3);
#endif
}
