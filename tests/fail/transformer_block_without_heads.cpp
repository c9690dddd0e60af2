// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_heads_must_be_positive, .*heads_given, 0>, .*at_layer<1, .*TransformerBlock::kind>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(8, 16) + TransformerBlock(1, 32) + SquaredDiff()> {};
#else
struct Net : Network<Input(8, 16) + TransformerBlock(0, 32) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
