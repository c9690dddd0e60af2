// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Input_needs_at_least_one_extent, .*at_layer<0, .*Input::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(1) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input() + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
