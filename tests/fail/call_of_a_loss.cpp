// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_is_only_allowed_last, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + [](auto x) { return layer(2 * Dense(3), x); } + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + [](auto x) { return layer(Dense(3) + SoftmaxCE(), x); } + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
