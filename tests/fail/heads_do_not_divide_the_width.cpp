// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_heads_do_not_divide_the_width, .*heads_given, 3>, .*width_given, 128>, .*at_layer<1, .*Attention::kind>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(64, 128) + Attention(4) + SquaredDiff()> {};
#else
struct Net : Network<Input(64, 128) + Attention(3) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
