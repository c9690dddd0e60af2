// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_units_belong_between_the_angle_brackets<.*use_dense_20_sigmoid
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<20, sigmoid>();
#else
auto network = Sequential<Input(4)>().dense(20, sigmoid);
#endif
