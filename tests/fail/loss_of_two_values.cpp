// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_needs_one_value, .*values_given, 2>, .*at_layer<3, .*SoftmaxCE::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Fork(Dense(2), Dense(3)) + Concatenate() + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + Fork(Dense(2), Dense(3)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
