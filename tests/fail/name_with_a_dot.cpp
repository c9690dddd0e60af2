// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_name_must_have_1_to_24_letters_digits_or_dashes, .*characters_of_the_name, 5>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + named("fc-1a", Dense(2)) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + named("fc.1a", Dense(2)) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
