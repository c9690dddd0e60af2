// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_kernel_is_larger_than_the_padded_image, .*image_is, -1, 8, 8, 1>, .*weights_are, 9, 9, 1, 4>, .*at_layer<1, .*Conv2D::kind>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/sequential.hpp>
using namespace sigma;

#ifdef TWIN
auto network = Sequential<Input(8, 8)>().conv2d<4, 5>().dense<3>();
#else
auto network = Sequential<Input(8, 8)>().conv2d<4, 9>().dense<3>();
#endif
