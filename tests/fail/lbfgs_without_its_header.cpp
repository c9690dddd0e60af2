// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_execution_lbfgs_hpp
#ifdef TWIN
#include <sigma/execution/lbfgs.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use(Model<Tiny>& model, const Dataset& data) { return lbfgs(model, data); }
