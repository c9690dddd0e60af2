// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_kernel_is_larger_than_the_padded_image<
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(8, 8)>().conv2d<4, 5>().dense<3>();
#else
auto network = Sequential<Input(8, 8)>().conv2d<4, 9>().dense<3>();
#endif
