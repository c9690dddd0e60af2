// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_written_otherwise<.*use_when_after_20_epoch_then_stop
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
void use(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(when(after(20, epoch)).then(stop));
#else
    trainer.add(StopAfterEpoch(20));
#endif
}
