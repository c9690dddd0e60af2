// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_InstanceNorm_needs_records_of_positions_and_features, .*input_is, -1, 12>, .*at_layer<1, .*InstanceNorm::kind>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4, 3) + InstanceNorm() + SquaredDiff()> {};
#else
struct Net : Network<Input(12) + InstanceNorm() + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
