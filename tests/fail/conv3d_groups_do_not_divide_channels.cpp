// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_groups_do_not_divide_the_channels, .*groups_given, 2>, .*image_is, -1, 4, 8, 8, 3>, .*weights_are, 3, 3, 3, 1, 6>, .*at_layer<1, .*Conv3D::kind>
// first-error-of-clang: 310 characters, volumes and their weights have five axes each
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Scans : Network<Input(4, 8, 8, 4) + Conv3D(6, 3, {.groups = 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Scans : Network<Input(4, 8, 8, 3) + Conv3D(6, 3, {.groups = 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Scans::output.rank > 0);
