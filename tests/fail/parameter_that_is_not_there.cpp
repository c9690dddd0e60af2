// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_parameter<.*(1-dense.weight\"|'w', 'e', 'i', 'g', 'h', 't'>).*(1-dense.weights\"|'w', 'e', 'i', 'g', 'h', 't', 's'>)
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void use(Model<Tiny>& model) {
#ifdef TWIN
    model.parameter<"1-dense.weights">()(0, 0) = 1;
#else
    model.parameter<"1-dense.weight">()(0, 0) = 1;
#endif
}
