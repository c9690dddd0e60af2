// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_kernel_is_larger_than_the_padded_image, .*image_is, -1, 2, 8, 8, 1>, .*weights_are, 3, 3, 3, 1, 6>, .*at_layer<1, .*Conv3D::kind>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Scans : Network<Input(2, 8, 8) + Conv3D(6, {2, 3, 3}) + Dense(10) + SoftmaxCE()> {};
#else
struct Scans : Network<Input(2, 8, 8) + Conv3D(6, 3) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Scans::output.rank > 0);
