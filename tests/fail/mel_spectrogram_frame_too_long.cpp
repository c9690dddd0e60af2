// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_record_is_shorter_than_a_frame, .*input_is, -1, 800>, .*frame_given, 801>, .*at_layer<1,
// .*MelSpectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MelSpectrogram(20, {.frame = 800}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MelSpectrogram(20, {.frame = 801}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
