// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_dropout_must_be_at_least_0_and_below_1, .*in_thousandths, 1000>, .*at_layer<1, .*Attention::kind>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(8, 16) + Attention(4, {.dropout = 0.5}) + SquaredDiff()> {};
#else
struct Net : Network<Input(8, 16) + Attention(4, {.dropout = 1}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
