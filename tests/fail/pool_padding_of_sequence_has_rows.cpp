// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_padding_of_sequences_has_no_rows, .*padding_given, 1, 0, 0, 1>, .*at_layer<1, .*MaxPool::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Notes : Network<Input(8, 4) + MaxPool(2, {.padding = {0, 0, 0, 1}}) + Dense(10) + SoftmaxCE()> {};
#else
struct Notes : Network<Input(8, 4) + MaxPool(2, {.padding = {1, 0, 0, 1}}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Notes::output.rank > 0);
