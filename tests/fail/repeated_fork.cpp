// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_does_not_accept, .*input_is, -1, 4>, .*input_is, -1, 4>, .*at_layer<2, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + 2 * (Fork(Dense(4), skip) + Add()) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + 2 * (Fork(Dense(4), skip) + Parallel(skip, skip)) + Add() + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
