// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_optimizer_average_hpp
#ifdef TWIN
#include <sigma/optimizer/average.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

auto optimizer = ema(Adam{}, 0.9);
