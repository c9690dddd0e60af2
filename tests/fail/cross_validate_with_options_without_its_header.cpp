// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_trainer_cross_validate_hpp
#ifdef TWIN
#include <sigma/trainer/cross_validate.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
auto use(const Dataset& data) { return cross_validate(Tiny{}, data, Adam{}, {.folds = 5}); }
