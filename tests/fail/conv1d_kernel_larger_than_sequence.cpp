// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_kernel_is_larger_than_the_padded_image, .*image_is, -1, 1, 8, 3>, .*weights_are, 1, 5, 3, 6>, .*at_layer<1, .*Conv1D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(8, 3) + Conv1D(6, 4, relu, {.dilation = 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(8, 3) + Conv1D(6, 5, relu, {.dilation = 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
