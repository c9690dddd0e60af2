// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Parallel_needs_one_branch_for_each_value, .*branches_given, 2>, .*values_given, 1>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<(Input(4) & Input(3)) + Parallel(Dense(2), Dense(2)) + Add() + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + Parallel(Dense(2), Dense(2)) + Add() + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
