// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Concatenate_branches_do_not_fit, .*axis_given, -1>, .*first_value_is, -1, 2, 3>, .*second_value_is, -1, 4>, .*at_layer<2, .*ConcatenateJoin::kind>
// first-error-of-clang: 310 characters, it tells the axis, both branches and the layer
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(2, 3) + Concatenate(Dense(6), Dense(4)) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(2, 3) + Concatenate(skip, Dense(4)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
