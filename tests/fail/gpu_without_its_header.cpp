// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_gpu_hpp
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
void use(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.run(cpu());
#else
    trainer.run(gpu());
#endif
}
