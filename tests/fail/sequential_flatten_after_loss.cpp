// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_is_only_allowed_last, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<3>().flatten().loss(losses::softmax_ce);
#else
auto network = Sequential<Input(4)>().dense<3>().loss(losses::softmax_ce).flatten();
#endif
