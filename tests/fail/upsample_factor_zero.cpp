// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Upsample_factors_must_be_positive, .*sizes_given, 0, 2>, .*at_layer<1, .*Upsample::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(4, 4, 1) + Upsample({1, 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(4, 4, 1) + Upsample({0, 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
