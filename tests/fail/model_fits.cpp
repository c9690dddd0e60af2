// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Model_has_no_such_member<.*use_a_Trainer_or_fit
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Model<Tiny>& model, const Dataset& data) {
    return fit(Tiny{}, data).model() == model;
}
#else
auto use(Model<Tiny>& model, const Dataset& data) {
    return model.fit(data);
}
#endif
