// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_parameter<.*(1-dense.bias\"|'b', 'i', 'a', 's'>).*(1-dense.biases\"|'b', 'i', 'a', 's', 'e', 's'>)
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void use(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.add(every(epoch).then(report(norm(gradient<"1-dense.biases">()))));
#else
    trainer.add(every(epoch).then(report(norm(gradient<"1-dense.bias">()))));
#endif
}
