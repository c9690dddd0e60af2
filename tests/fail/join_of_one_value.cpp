// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_join_needs_at_least_two_values, .*values_given, 1>, .*at_layer<1, .*AddJoin::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Fork(Dense(2), Dense(2)) + Add() + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + Add() + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
