// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_name_must_not_begin_with_a_number_and_a_dash, .*name_is, .*text_is<.*(2-dense"|'2', '-', 'd', 'e', 'n', 's', 'e'>)
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

// Layer 2 has this name where it has none of its own.
#ifdef TWIN
struct Graph : Network<Input(4) + named("2nd-dense", Dense(3)) + Dense(2) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + named("2-dense", Dense(3)) + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
