// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_needs_records_of_samples, .*input_is, -1, 28, 28>, .*at_layer<1, .*MFCC::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(784) + MFCC() + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(28, 28) + MFCC() + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
