// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Add_branches_do_not_fit, .*first_value_is, -1, 5>, .*second_value_is, -1, 4>, .*at_layer<2, .*AddJoin::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Residual(Dense(4, relu)) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + Residual(Dense(5, relu)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
