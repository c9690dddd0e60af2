// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_predict_takes_arrays<.*use_an_array_or_ArrayView_of_numbers_and_their_shape
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Model<Tiny>& model, const float* x) {
    return model.predict(ArrayView(x, {1, 4}));
}
#else
auto use(const Model<Tiny>& model, const float* x) {
    return model.predict(x);
}
#endif
