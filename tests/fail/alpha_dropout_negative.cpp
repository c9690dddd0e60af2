// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_AlphaDropout_rate_must_be_at_least_0_and_below_1, .*in_thousandths, -250>, .*at_layer<1, .*AlphaDropout::kind>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + AlphaDropout(0.25) + SquaredDiff()> {};
#else
struct Net : Network<Input(4) + AlphaDropout(-0.25) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
