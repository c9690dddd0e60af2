// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_class_weights_must_not_be_negative, .*weight_number, 1>, .*at_layer<2, .*WeightedSoftmaxCE<.*3>::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + SoftmaxCE().weighted(1, 0, 3)> {};
#else
struct Net : Network<Input(4) + Dense(3) + SoftmaxCE().weighted(1, -2, 3)> {};
#endif
static_assert(Net::output.rank > 0);
