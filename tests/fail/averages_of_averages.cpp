// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_parameters_are_averaged_already<.*optimizer_is<.*WithEma<
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/average.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = swa(Adam{}, {.start = 10});
#else
const auto optimizer = swa(ema(Adam{}), {.start = 10});
#endif
