// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Dense_units_must_be_positive, .*units_given, 0>, .*at_layer<1, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + [](auto x) { return layer(Dense(2), x); } + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + [](auto x) { return layer(Dense(0), x); } + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
