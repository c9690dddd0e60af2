// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_does_not_accept, .*input_is, -1, 24>, .*at_layer<1, .*LSTM::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Tagger : Network<Input(8, 3) + LSTM(5, {.last = true}) + SoftmaxCE()> {};
#else
struct Tagger : Network<Input(24) + LSTM(5, {.last = true}) + SoftmaxCE()> {};
#endif
static_assert(Tagger::output.rank > 0);
