// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_onnx_hpp
#ifdef TWIN
#include <sigma/onnx.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
void use(const Model<Tiny>& model) { export_onnx(model, "tiny.onnx"); }
