// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_array_has_no_brackets<.*use_all_indices_in_parentheses
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model.predict(x)(0, 1);
}
#else
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model.predict(x)[0][1];
}
#endif
