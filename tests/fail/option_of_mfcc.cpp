// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_MFCC_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'MFCC'
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Words : Network<Input(800) + MFCC(13, 40, {.sample_rate = 8000}) + Dense(10) + SoftmaxCE()> {};
#else
struct Words : Network<Input(800) + MFCC(13, 40, {.rate = 8000}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Words::output.rank > 0);
