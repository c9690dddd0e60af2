// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Add_branches_do_not_fit, .*first_value_is, -1, 3>, .*second_value_is, -1, 4>, .*at_layer<3, .*AddJoin::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(5) + Add(Dense(3), Dense(3)) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(5) + Add(Dense(3), Dense(4)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
