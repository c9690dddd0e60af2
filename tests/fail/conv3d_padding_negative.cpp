// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_padding_is_negative, .*padding_given, -1, -1, 1, 1, 1, 1>, .*at_layer<1, .*Conv3D::kind>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Scans : Network<Input(4, 8, 8) + Conv3D(6, 3, {.padding = {0, 1, 1}}) + Dense(10) + SoftmaxCE()> {};
#else
struct Scans : Network<Input(4, 8, 8) + Conv3D(6, 3, {.padding = {-1, 1, 1}}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Scans::output.rank > 0);
