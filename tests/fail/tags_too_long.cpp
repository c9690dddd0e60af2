// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_name_is_longer_than_63_characters, .*characters_of_the_name, 65>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<Input(4) + tagged("first-projection", tagged("second-projection", tagged("third-projection", Dense(2)))) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + tagged("first-projection-1234", tagged("second-projection-123", tagged("third-projection-1234", Dense(2)))) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
