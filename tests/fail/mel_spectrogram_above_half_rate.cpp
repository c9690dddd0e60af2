// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_mel_frequency_is_above_half_of_the_sample_rate, .*high_in_thousandths, 8001000>,
// .*sample_rate_in_thousandths, 16000000>, .*at_layer<1, .*MelSpectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MelSpectrogram(20, {.high = 8000}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MelSpectrogram(20, {.high = 8001}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
