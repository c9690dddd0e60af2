// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Dense_units_must_be_positive, .*units_given, -5>, .*at_layer<1, .*Dense::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + 2 * (Dense(5, relu) + Dropout(0.5)) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + 2 * (Dense(-5, relu) + Dropout(0.5)) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
