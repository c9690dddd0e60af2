// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_MFCC_needs_coefficients_from_1_to_the_number_of_mels, .*coefficients_given, 21>,
// .*mels_given, 20>, .*at_layer<1, .*MFCC::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MFCC(20, 20) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MFCC(21, 20) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
