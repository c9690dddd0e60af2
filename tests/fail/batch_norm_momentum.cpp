// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_BatchNorm_momentum_must_be_from_0_to_1, .*in_thousandths, 1500>, .*at_layer<1, .*BatchNorm::kind>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + BatchNorm({.momentum = 0.5}) + SquaredDiff()> {};
#else
struct Net : Network<Input(4) + BatchNorm({.momentum = 1.5}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
