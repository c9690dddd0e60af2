// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_cost_branch_has_no_loss, .*at_layer<2, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Costs(Dense(2) + SoftmaxCE(), Dense(1) + SquaredDiff())> {};
#else
struct Graph : Network<Input(4) + Costs(Dense(2) + SoftmaxCE(), Dense(1))> {};
#endif
static_assert(Graph::output.rank > 0);
