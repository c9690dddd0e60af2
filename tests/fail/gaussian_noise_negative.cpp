// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_GaussianNoise_deviation_must_not_be_negative, .*in_thousandths, -100>, .*at_layer<1, .*GaussianNoise::kind>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + GaussianNoise(0.1) + SquaredDiff()> {};
#else
struct Net : Network<Input(4) + GaussianNoise(-0.1) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
