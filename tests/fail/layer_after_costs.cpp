// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_is_only_allowed_last, .*at_layer<2, .*SquaredDiff::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Dense(2) + Costs(SoftmaxCE(), SquaredDiff())> {};
#else
struct Graph : Network<Input(4) + Costs(SoftmaxCE(), SquaredDiff()) + Dense(2)> {};
#endif
static_assert(Graph::output.rank > 0);
