// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_optimizer_needs_a_loss_before_it<.*use_loss_first
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential().dense(3).loss(losses::softmax_ce).optimizer(Adam{});
#else
auto network = Sequential().dense(3).optimizer(Adam{});
#endif
