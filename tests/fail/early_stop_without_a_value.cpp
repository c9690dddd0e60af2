// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_first_argument_is_not_a_value<.*use_early_stop_validation_error_5
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(early_stop(loss, 10));
#else
    trainer.add(early_stop(10));
#endif
}
