// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_written_otherwise<.*use_early_stop_of_error_and_patience
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
void use(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(early_stop(error, 5));
#else
    trainer.add(EarlyStopper(5));
#endif
}
