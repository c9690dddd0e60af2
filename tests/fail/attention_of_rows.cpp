// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_needs_records_of_time_and_width, .*input_is, -1, 128>, .*at_layer<1, .*Attention::kind>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(1, 128) + Attention(4) + SquaredDiff()> {};
#else
struct Net : Network<Input(128) + Attention(4) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
