// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_join_needs_at_least_two_branches, .*branches_given, 1>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Average(Dense(2), Dense(2)) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + Average(Dense(2)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
