// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_trainer_averages_hpp
#ifdef TWIN
#include <sigma/trainer/averages.hpp>
#endif
#include <sigma/optimizer/average.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
auto use(Trainer<Tiny, decltype(ema(Adam{}, 0.9))>& trainer) { return averaged_model(trainer); }
