// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_TransformerBlock_hidden_units_must_be_positive, .*units_given, -4>, .*at_layer<1, .*TransformerBlock::kind>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(8, 16) + TransformerBlock(2, 4) + SquaredDiff()> {};
#else
struct Net : Network<Input(8, 16) + TransformerBlock(2, -4) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
