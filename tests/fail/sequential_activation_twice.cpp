// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/sigma.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<3>().loss(losses::softmax_ce).optimizer(Adam{});
#else
auto network = Sequential<Input(4)>().dense<3, softmax>().loss(losses::softmax_ce).optimizer(Adam{});
#endif
