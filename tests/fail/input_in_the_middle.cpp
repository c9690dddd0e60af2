// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Input_is_only_allowed_first, .*at_layer<2, .*Input::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + Dense(32) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + Dense(32) + Input(32) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
