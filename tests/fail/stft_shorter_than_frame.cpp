// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_fft_must_be_even_and_hold_a_frame, .*fft_given, 256>, .*frame_given, 400>, .*at_layer<1, .*STFT::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + STFT({.fft = 400}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + STFT({.fft = 256}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
