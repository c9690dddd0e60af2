// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Multiply_branches_do_not_fit, .*first_value_is, -1, 2, 3>, .*second_value_is, -1, 3>, .*at_layer<2, .*MultiplyJoin::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(2, 3) + Multiply(skip, [](auto x) { return max(x, axis(1), keep); }) + SquaredDiff()> {};
#else
struct Graph : Network<Input(2, 3) + Multiply(skip, [](auto x) { return max(x, axis(1)); }) + SquaredDiff()> {};
#endif
static_assert(Graph::output.rank > 0);
