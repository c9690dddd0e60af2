// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_needs_sequences, .*input_is, -1, 4, 4, 2>, .*at_layer<1, .*ConvTranspose1D::kind>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Lines : Network<Input(4, 2) + ConvTranspose1D(6, 3) + Dense(10) + SoftmaxCE()> {};
#else
struct Lines : Network<Input(4, 4, 2) + ConvTranspose1D(6, 3) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Lines::output.rank > 0);
