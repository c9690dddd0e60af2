// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_two_layers_or_costs_have_the_name, .*name_is, .*text_is<.*(low"|'l', 'o', 'w'>)
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + Costs(Dense(1) + named("low", SquaredDiff()), Dense(1) + named("high", SquaredDiff()))> {};
#else
struct Graph : Network<Input(4) + Costs(Dense(1) + named("low", SquaredDiff()), Dense(1) + named("low", SquaredDiff()))> {};
#endif
static_assert(Graph::output.rank > 0);
