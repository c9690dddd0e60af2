// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SoftmaxCE_needs_rows_of_classes, .*output_is, -1, 28, 28, 1>, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(28, 28, 1) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(28, 28, 1) + Dropout(0.1) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
