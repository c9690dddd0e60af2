// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_recurrent_units_must_be_positive, .*units_given, 0>, .*at_layer<1, .*LSTM::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Tagger : Network<Input(8, 3) + LSTM(1, {.last = true}) + Dense(4) + SoftmaxCE()> {};
#else
struct Tagger : Network<Input(8, 3) + LSTM(0, {.last = true}) + Dense(4) + SoftmaxCE()> {};
#endif
static_assert(Tagger::output.rank > 0);
