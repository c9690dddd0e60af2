// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast, .*shape_of_x, -1, 4>, .*shape_of_y, -1, 3>, .*at_layer<\d+, .*lambda_kind>, .*at_line<12>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + [](auto x) { return x + layer(Dense(4), x); } + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + [](auto x) { return x + layer(Dense(3), x); } + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
