// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_output<.*number_given<1>, .*outputs_of_the_network<1>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Trainer<Tiny, Adam>& trainer, const Array<float>& x) {
    return trainer.predict<0>(x);
}
#else
auto use(const Trainer<Tiny, Adam>& trainer, const Array<float>& x) {
    return trainer.predict<1>(x);
}
#endif
