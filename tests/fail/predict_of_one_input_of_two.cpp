// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_other_number_of_inputs<.*inputs_wanted<2>, .*arrays_given<1>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Two : Network<(Input(2) & Input(3)) + Concatenate() + Dense(2) + SoftmaxCE()> {};
auto use(const Trainer<Two, Adam>& trainer, const Array<float>& a, const Array<float>& b) {
#ifdef TWIN
    return trainer.predict(a, b);
#else
    (void)b;
    return trainer.predict(a);
#endif
}
