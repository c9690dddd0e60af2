// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_name_is_longer_than_63_characters, .*characters_of_the_name, 64>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

// "2-…/…/dense.weights" and "2-…/…/dense.biases" would be one name if they were cut.
#ifdef TWIN
struct Graph : Network<Input(4) + named("encoder-of-the-left-side", named("projections-from-image", 2 * Dense(2))) + SoftmaxCE()> {};
#else
struct Graph : Network<Input(4) + named("encoder-of-the-left-side", named("projections-from-images", 2 * Dense(2))) + SoftmaxCE()> {};
#endif
static_assert(Graph::output.rank > 0);
