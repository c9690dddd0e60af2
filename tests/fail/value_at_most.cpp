// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_value_is_compared_by_an_operator<.*use_falls_to
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(when(learning_rate.falls_to(1e-5) || after(3, epoch)).then(stop));
#else
    trainer.add(when(learning_rate <= 1e-5 || after(3, epoch)).then(stop));
#endif
}
