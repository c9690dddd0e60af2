// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_lora_found_no_weights_to_adapt, .*pattern_is, .*
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/wrappers.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + lora(2, Dense(32), {.weights = "*.weights"}) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + lora(2, Dense(32), {.weights = "*query_weights"}) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
