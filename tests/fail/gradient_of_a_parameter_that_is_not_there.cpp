// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_parameter<.*(2-dense.bias\"|'b', 'i', 'a', 's'>).*(2-dense.biases\"|'b', 'i', 'a', 's', 'e', 's'>)
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void use(Trainer<Tiny, Adam>& trainer) {
#ifdef TWIN
    trainer.gradients().of<"2-dense.biases">()(0) = 1;
#else
    trainer.gradients().of<"2-dense.bias">()(0) = 1;
#endif
}
