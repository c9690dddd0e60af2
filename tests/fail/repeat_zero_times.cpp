// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_repeat_count_must_be_positive, .*times_given, 0>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + 1 * Dense(32) + Dense(10) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(64) + 0 * Dense(32) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
