// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_needs_images, .*image_is, -1, 64>, .*at_layer<1, .*Conv2D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(8, 8) + Conv2D(6, 3) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + Conv2D(6, 3) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
