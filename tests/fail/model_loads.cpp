// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Model_has_no_such_member<.*use_load_parameters_model_file
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(Model<Tiny>& model) {
    return load_parameters(model, "tiny.safetensors");
}
#else
auto use(Model<Tiny>& model) {
    return model.load("tiny.safetensors");
}
#endif
