// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_predict_takes_arrays<.*use_inputs_of_the_data_set
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
auto use(const Trainer<Tiny, Adam>& trainer, const Dataset& data) {
#ifdef TWIN
    return trainer.predict(data.inputs());
#else
    return trainer.predict(data);
#endif
}
