// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Model_is_not_callable<.*use_model_predict_x
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model.predict(x);
}
#else
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return model(x);
}
#endif
