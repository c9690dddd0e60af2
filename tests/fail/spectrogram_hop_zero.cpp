// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_frame_and_hop_must_be_positive, .*frame_given, 400>, .*hop_given, 0>, .*at_layer<1, .*Spectrogram::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + Spectrogram({.hop = 1}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + Spectrogram({.hop = 0}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
