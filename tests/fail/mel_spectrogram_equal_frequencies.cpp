// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_mel_frequencies_must_rise_from_0, .*low_in_thousandths, 3000000>, .*high_in_thousandths,
// 3000000>, .*at_layer<1, .*MelSpectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MelSpectrogram(20, {.low = 3000, .high = 3001}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MelSpectrogram(20, {.low = 3000, .high = 3000}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
