// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Permute_needs_as_many_axes_as_a_record_has, .*axes_are, 2, 1>, .*input_is, -1, 3, 4, 5>, .*at_layer<1, .*Permute::kind>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 4, 5) + Permute(2, 1, 3) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 4, 5) + Permute(2, 1) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
