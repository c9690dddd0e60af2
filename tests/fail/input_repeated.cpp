// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Input_is_only_allowed_first, .*at_layer<2, .*Input::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + 2 * Dense(32) + SoftmaxCE()> {};
#else
struct Digits : Network<2 * (Input(64) + Dense(32)) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
