// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_offset_of_the_logarithm_must_be_positive, .*offset_in_thousandths, 0>, .*at_layer<1,
// .*MelSpectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MelSpectrogram(20, {.offset = 1}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MelSpectrogram(20, {.offset = 0}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
