// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_groups_do_not_divide_the_features, .*groups_given, 4>, .*features_given, 6>, .*at_layer<1, .*GroupNorm::kind>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(5, 6) + GroupNorm(3) + SquaredDiff()> {};
#else
struct Net : Network<Input(5, 6) + GroupNorm(4) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
