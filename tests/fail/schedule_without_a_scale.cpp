// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_schedule_needs_a_scale<.*use_epoch_or_iteration_behind_the_schedule
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Trainer<Tiny, Adam>& trainer) {
    return trainer.add(schedule(cosine(100), epoch));
}
#else
auto use(Trainer<Tiny, Adam>& trainer) {
    return trainer.add(schedule(cosine(100)));
}
#endif
