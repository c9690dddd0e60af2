// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_kernel_is_larger_than_the_padded_image, .*image_is, -1, 6, 6, 1>, .*weights_are, 7, 7, 1, 8>, .*at_layer<1, .*Conv2D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(4, 4) + Conv2D(8, 7, relu, {.padding = 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(4, 4) + Conv2D(8, 7, relu, {.padding = 1}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
