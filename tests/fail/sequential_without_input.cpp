// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_must_start_with_Input>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(4)>().dense<4>().dense<3>();
#else
auto network = Sequential<Dense(4)>().dense<3>();
#endif
