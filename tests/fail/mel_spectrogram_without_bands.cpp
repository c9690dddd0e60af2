// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_number_of_mels_must_be_positive, .*mels_given, 0>, .*at_layer<1, .*MelSpectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MelSpectrogram(1) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MelSpectrogram(0) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
