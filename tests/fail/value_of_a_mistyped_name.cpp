// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_nobody_computes<.*(tpo1\"|'t', 'p', 'o', '1'>)
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void train(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(every(epoch).then(compute<"tpo1">([](auto& t) { return t.loss(); }), report(value<"tpo1">)));
#else
    trainer.add(every(epoch).then(report(value<"tpo1">)));
#endif
}
