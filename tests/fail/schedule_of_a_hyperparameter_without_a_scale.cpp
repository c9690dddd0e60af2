// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_schedule_needs_a_scale<.*use_epoch_or_iteration_behind_the_schedule
#include <sigma/sigma.hpp>
using namespace sigma;

struct Net : Network<Input(4) + Dropout(0.5) + Dense(3) + SoftmaxCE()> {};

void train(Trainer<Net, Adam>& trainer) {
#ifdef TWIN
    trainer.add(schedule(hyperparameter("*.rate"), linear(100), iteration));
#else
    trainer.add(schedule(hyperparameter("*.rate"), linear(100)));
#endif
}
