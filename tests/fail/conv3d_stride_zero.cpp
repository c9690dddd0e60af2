// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_strides_must_be_positive, .*sizes_given, 0, 2, 2>, .*at_layer<1, .*Conv3D::kind>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Scans : Network<Input(4, 8, 8) + Conv3D(6, 3, relu, {.stride = {1, 2, 2}}) + Dense(10) + SoftmaxCE()> {};
#else
struct Scans : Network<Input(4, 8, 8) + Conv3D(6, 3, relu, {.stride = {0, 2, 2}}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Scans::output.rank > 0);
