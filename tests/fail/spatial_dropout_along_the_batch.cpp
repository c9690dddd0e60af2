// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SpatialDropout_axes_must_be_axes_of_a_record, .*axes_are, 0>, .*input_is, -1, 3, 4>, .*at_layer<1, .*SpatialDropout::kind>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 4) + SpatialDropout(0.5, 1) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 4) + SpatialDropout(0.5, 0) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
