// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_weight_belongs_to_a_cost, .*at_layer<1, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Dense(2) + loss_weight(0.3, SquaredDiff())> {};
#else
struct Graph : Network<Input(4) + loss_weight(0.3, Dense(2)) + SquaredDiff()> {};
#endif
static_assert(Graph::output.rank > 0);
