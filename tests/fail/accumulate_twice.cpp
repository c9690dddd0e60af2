// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradients_are_accumulated_already<.*optimizer_is<.*Accumulating<
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/average.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = ema(accumulate(Adam{}, 8));
#else
const auto optimizer = accumulate(ema(accumulate(Adam{}, 4)), 2);
#endif
