// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_value_is_compared_by_an_operator<.*use_exceeds
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(when(error.exceeds(0.9)).then(stop));
#else
    trainer.add(when(error > 0.9).then(stop));
#endif
}
