// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SoftmaxCE_needs_at_least_two_classes, .*output_is, -1, 1>, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(2) + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + Dense(1) + SoftmaxCE()> {};
#endif
static_assert(Net::output.rank > 0);
