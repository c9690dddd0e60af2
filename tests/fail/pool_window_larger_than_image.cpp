// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_pooling_window_is_larger_than_the_image, .*window_is, 3, 3>, .*image_is, -1, 2, 2, 6>, .*at_layer<2, .*MaxPool::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(4, 4) + Conv2D(6, 3) + MaxPool(2) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(4, 4) + Conv2D(6, 3) + MaxPool(3) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
