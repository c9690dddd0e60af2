// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Dropout_rate_must_be_at_least_0_and_below_1, .*rate_in_thousandths, -100>, .*at_layer<1, .*Dropout::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + Dropout(0) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + Dropout(-0.1) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
