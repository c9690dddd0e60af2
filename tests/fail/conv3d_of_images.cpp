// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_needs_volumes, .*input_is, -1, 8, 8>, .*at_layer<1, .*Conv3D::kind>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Scans : Network<Input(3, 8, 8) + Conv3D(6, 3, relu) + Dense(10) + SoftmaxCE()> {};
#else
struct Scans : Network<Input(8, 8) + Conv3D(6, 3, relu) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Scans::output.rank > 0);
