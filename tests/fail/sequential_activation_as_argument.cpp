// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_activation_belongs_between_the_angle_brackets<.*dense_units<20> *>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<20, sigmoid>();
#else
auto network = Sequential<Input(4)>().dense<20>(sigmoid);
#endif
