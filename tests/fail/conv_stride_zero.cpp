// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_strides_must_be_positive, .*sizes_given, 0, 1>, .*at_layer<1, .*Conv2D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(8, 8) + Conv2D(6, 3, {.stride = {2, 1}}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(8, 8) + Conv2D(6, 3, {.stride = {0, 1}}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
