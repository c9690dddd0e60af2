// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_training_is_begun_by_run<.*use_run_cpu_and_epochs
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Trainer<Tiny, Adam>& trainer) {
    return trainer.run(cpu(), 10);
}
#else
auto use(Trainer<Tiny, Adam>& trainer) {
    return trainer.train(10);
}
#endif
