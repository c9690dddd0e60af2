// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Model_has_no_such_member<.*use_save_parameters_model_file
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Model<Tiny>& model) {
    return save_parameters(model, "tiny.safetensors");
}
#else
auto use(const Model<Tiny>& model) {
    return model.save("tiny.safetensors");
}
#endif
