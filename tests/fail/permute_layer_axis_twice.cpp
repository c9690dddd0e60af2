// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Permute_needs_each_axis_from_1_once, .*axes_are, 2, 2>, .*at_layer<1, .*Permute::kind>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 4) + Permute(2, 1) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 4) + Permute(2, 2) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
