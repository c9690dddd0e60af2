// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shared_layers_have_different_parameters, .*first_is, 4, 6>, .*second_is, 6, 6>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(6) + Dense(6) + [](auto x) { return layer(shared("step", Dense(6)), layer(shared("step", Dense(6)), x)); } + SquaredDiff()> {};
#else
struct Graph : Network<Input(4) + [](auto x) { return layer(shared("step", Dense(6)), layer(shared("step", Dense(6)), x)); } + SquaredDiff()> {};
#endif
static_assert(Graph::output.rank > 0);
