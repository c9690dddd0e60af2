// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_optimizer_needs_a_loss_before_it, .*at_layer<1, .*Dense::kind>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<3>().loss(losses::softmax_ce).optimizer(Adam{});
#else
auto network = Sequential<Input(4)>().dense<3>().optimizer(Adam{});
#endif
