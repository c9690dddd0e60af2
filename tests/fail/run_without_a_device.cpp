// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_run_begins_with_a_device<.*use_cpu
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.run(cpu(), 20);
#else
    trainer.run(20);
#endif
}
