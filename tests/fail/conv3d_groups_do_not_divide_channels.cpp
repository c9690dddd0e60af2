// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_groups_do_not_divide_the_channels<.*groups_given<2>.*shape<-1, 4, 8, 8, 3> *>
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
