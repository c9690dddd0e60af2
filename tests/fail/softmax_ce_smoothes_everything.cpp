// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SoftmaxCE_smoothing_must_be_at_least_0_and_below_1, .*in_thousandths, 1000>, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(2) + SoftmaxCE({.smoothing = 0.99})> {};
#else
struct Net : Network<Input(4) + Dense(2) + SoftmaxCE({.smoothing = 1})> {};
#endif
static_assert(Net::output.rank > 0);
