// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Huber_delta_must_be_positive, .*in_thousandths, -500>, .*at_layer<2, .*Huber::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(1) + Huber(0.5)> {};
#else
struct Net : Network<Input(4) + Dense(1) + Huber(-0.5)> {};
#endif
static_assert(Net::output.rank > 0);
