// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_pattern_is_not_the_first_argument<.*use_the_pattern_first
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Trainer<Tiny, Adam>& trainer) {
    trainer.modify("*.weights", max_norm(3));
}
#else
auto use(Trainer<Tiny, Adam>& trainer) {
    trainer.modify(max_norm(3), "*.weights");
}
#endif
