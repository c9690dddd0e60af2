// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_arrays_have_no_arithmetic<.*use_to_xtensor_of_the_array_and_include_sigma_xtensor_hpp
#ifdef TWIN
#include <sigma/xtensor.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return 1.0f - to_xtensor(model.predict(x));
}
#else
auto use(const Model<Tiny>& model, const Array<float>& x) {
    return 1.0f - model.predict(x);
}
#endif
