// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Input_extents_must_be_positive, .*record_given, 28, 0>, .*at_layer<0, .*Input::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(28, 1) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(28, 0) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
