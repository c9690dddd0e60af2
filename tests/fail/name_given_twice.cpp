// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_two_layers_or_costs_have_the_name, .*name_is, .*text_is<.*(hidden"|'h', 'i', 'd', 'd', 'e', 'n'>)
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

// Both would have parameters "hidden.weights".
#ifdef TWIN
struct Graph : Network<Input(4) + named("hidden", 2 * Dense(4)) + Dense(2) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + 2 * named("hidden", Dense(4)) + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
