// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_is_only_allowed_last, .*at_layer<2, .*SquaredDiff::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Digits : Network<Input(64) + 2 * Dense(32) + SquaredDiff()> {};
#else
struct Digits : Network<Input(64) + 2 * (Dense(32) + SquaredDiff())> {};
#endif
static_assert(Digits::output.rank > 0);
