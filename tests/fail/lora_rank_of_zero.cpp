// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_lora_rank_must_be_positive, .*rank_given, 0>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/wrappers.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + lora(2, Dense(32)) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + lora(0, Dense(32)) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
