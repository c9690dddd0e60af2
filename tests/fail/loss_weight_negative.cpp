// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_weight_must_be_finite_and_not_negative, .*loss_weight_in_thousandths, -300>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Costs(Dense(2) + SoftmaxCE(), loss_weight(0.3, Dense(1) + SquaredDiff()))> {};
#else
struct Graph : Network<Input(4) + Costs(Dense(2) + SoftmaxCE(), loss_weight(-0.3, Dense(1) + SquaredDiff()))> {};
#endif
static_assert(Graph::output.rank > 0);
