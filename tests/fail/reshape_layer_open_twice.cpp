// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Reshape_extents_must_be_positive_or_one_of_them_minus_1, .*record_wanted, -1, -1>, .*at_layer<1, .*Reshape::kind>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(28) + Reshape(4, -1) + SquaredDiff()> {};
#else
struct Net : Network<Input(28) + Reshape(-1, -1) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
