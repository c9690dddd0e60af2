// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_groups_do_not_divide_the_channels, .*groups_given, 2>, .*image_is, -1, 8, 8, 3>, .*weights_are, 3, 3, 1, 6>, .*at_layer<1, .*Conv2D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(8, 8, 4) + Conv2D(6, 3, relu, {.groups = 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(8, 8, 3) + Conv2D(6, 3, relu, {.groups = 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
