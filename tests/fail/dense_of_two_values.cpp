// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_does_not_accept, .*input_is, -1, 4>, .*input_is, -1, 3>, .*at_layer<2, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<(Input(4) & Input(3)) + Concatenate() + Dense(2) + SoftmaxCE()> {};
#else
struct Graph : Network<(Input(4) & Input(3)) + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
