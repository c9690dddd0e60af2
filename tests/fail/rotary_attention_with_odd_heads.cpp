// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_rotary_Attention_needs_heads_of_even_width, .*heads_given, 2>, .*width_given, 6>, .*at_layer<1, .*Attention::kind>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 6) + Attention(3, {.rotary = true}) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 6) + Attention(2, {.rotary = true}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
