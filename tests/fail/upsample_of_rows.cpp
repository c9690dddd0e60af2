// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_needs_images, .*image_is, -1, 8>, .*at_layer<1, .*Upsample::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(8, 1) + Upsample(2) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(8) + Upsample(2) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
