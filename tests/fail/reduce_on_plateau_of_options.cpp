// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_first_argument_is_not_a_value<.*use_reduce_on_plateau_validation_error
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(reduce_on_plateau(loss, {.factor = 0.1}));
#else
    trainer.add(reduce_on_plateau({.factor = 0.1}));
#endif
}
