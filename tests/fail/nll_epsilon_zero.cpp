// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_NLL_epsilon_must_be_above_0_and_below_one_half, .*in_thousandths, 0>, .*at_layer<2, .*NLL::kind>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3, softmax) + NLL(1e-5)> {};
#else
struct Net : Network<Input(4) + Dense(3, softmax) + NLL(0)> {};
#endif
static_assert(Net::output.rank > 0);
