// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_cropped_result_is_empty, .*result_is, -1, -1>, .*at_layer<1, .*ConvTranspose2D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(1, 1) + ConvTranspose2D(6, 3, {.padding = 1}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(1, 1) + ConvTranspose2D(6, 3, {.padding = 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
