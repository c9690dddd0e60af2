// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_exchange_quantize_hpp
#ifdef TWIN
#include <sigma/exchange/quantize.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
auto use(const Model<Tiny>& model, const Dataset& data) { return quantize(model, data); }
